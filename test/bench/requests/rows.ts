import { FIRST_EVENT, GUILD, MONTH, WEEK } from "./bench-data.ts";
import type { RivalName } from "./subjects.ts";

/** One question that is put to guildcal and to those who answer the same. */
export interface Row {
  readonly name: string;
  readonly path: string;
  readonly body: object;
  /** Who is asked beside guildcal, and how many times as many requests guildcal must answer. */
  readonly beside: Readonly<Partial<Record<RivalName, number>>>;
  /** The answer names what was made: it differs from one to the next. */
  readonly isWrite?: true;
}

const calendar = { guild_id: GUILD, calendar_number: 1 };
const HOUR = 3_600_000;

export const ROWS: readonly Row[] = [
  {
    name: "events/get",
    path: "/v2/events/get",
    body: { ...calendar, event_id: FIRST_EVENT },
    beside: { fastify: 1, express: 1.1 },
  },
  {
    name: "events/list/range, 50 entries",
    path: "/v2/events/list/range",
    body: { ...calendar, epoch_start: WEEK.from, epoch_end: WEEK.until - 1 },
    beside: { fastify: 1, express: 1.1 },
  },
  {
    name: "events/list/month, 12 series",
    path: "/v2/events/list/month",
    body: { ...calendar, epoch_start: MONTH.from, days_in_month: MONTH.days },
    beside: { fastify: 1 },
  },
  {
    name: "events/create",
    path: "/v2/events/create",
    body: {
      ...calendar,
      epoch_start: WEEK.until + HOUR,
      epoch_end: WEEK.until + 2 * HOUR,
      name: "Made",
      color: "BLUE",
    },
    beside: { fastify: 1 },
    isWrite: true,
  },
  {
    name: "announcement/list, 20 entries",
    path: "/v1/announcement/list",
    body: { guild_id: GUILD, amount: -1 },
    beside: { fastify: 1 },
  },
  {
    name: "guild/settings/get",
    path: "/v2/guild/settings/get",
    body: { guild_id: GUILD },
    beside: { fastify: 1 },
  },
  {
    name: "no-op: announcement/list of none",
    path: "/v1/announcement/list",
    body: { guild_id: GUILD, amount: 0 },
    beside: { "bare-http": 0.85 },
  },
];
