import { GUILD, MONTH, SETTLED_GUILDS, WEEK, WEEKS_EVENTS } from "./bench-data.ts";
import type { RivalName } from "./subjects.ts";

/** One question that is put to guildcal and to those who answer the same. */
export interface Row {
  readonly name: string;
  readonly path: string;
  /** Sent in turn: requests that come together seldom ask for the same. Without any the request is a GET. */
  readonly bodies?: readonly object[];
  /** Who is asked beside guildcal. */
  readonly beside: readonly RivalName[];
  /** Who answers it for less than it asks for: shown, and held to nothing. */
  readonly shownBeside?: readonly RivalName[];
  /** The answer names what was made: it differs from one to the next. */
  readonly isWrite?: true;
  /**
   * So many times as many requests in a round: what is answered fast would be measured for a tenth of a second, and what
   * dispatch does every two seconds about creates would be in one round and not in the next.
   */
  readonly longer?: number;
  /** The gateway answers by itself. */
  readonly isOfGateway?: true;
}

export interface Pace {
  readonly rounds: number;
  /** In each round. */
  readonly requests: number;
  readonly connections: number;
}

/** The pace at which a row is asked for. */
export function paceOf({ longer = 1 }: Row, pace: Pace): Pace {
  return { ...pace, requests: longer * pace.requests };
}

const calendar = { guild_id: GUILD, calendar_number: 1 };
const HOUR = 3_600_000;

export const ROWS: readonly Row[] = [
  {
    name: "events/get",
    path: "/v2/events/get",
    bodies: WEEKS_EVENTS.map((event_id) => ({ guild_id: GUILD, calendar_number: 1, event_id })),
    beside: ["fastify", "express"],
    longer: 2,
  },
  {
    name: "events/list/range, 50 entries",
    path: "/v2/events/list/range",
    bodies: [{ ...calendar, epoch_start: WEEK.from, epoch_end: WEEK.until - 1 }],
    beside: ["fastify", "express"],
  },
  {
    name: "events/list/month, 12 series",
    path: "/v2/events/list/month",
    bodies: [{ ...calendar, epoch_start: MONTH.from, days_in_month: MONTH.days }],
    beside: ["fastify"],
  },
  {
    name: "events/create",
    path: "/v2/events/create",
    bodies: [
      {
        ...calendar,
        epoch_start: WEEK.until + HOUR,
        epoch_end: WEEK.until + 2 * HOUR,
        name: "Made",
        color: "BLUE",
      },
    ],
    beside: ["fastify"],
    isWrite: true,
    longer: 3,
  },
  {
    name: "announcement/list, 20 entries",
    path: "/v1/announcement/list",
    bodies: [{ guild_id: GUILD, amount: -1 }],
    beside: ["fastify"],
  },
  {
    name: "guild/settings/get",
    path: "/v2/guild/settings/get",
    bodies: SETTLED_GUILDS.map((guild_id) => ({ guild_id })),
    beside: ["fastify"],
    longer: 4,
  },
  {
    name: "emptiest: announcement/list of none",
    path: "/v1/announcement/list",
    bodies: [{ guild_id: GUILD, amount: 0 }],
    beside: [],
    shownBeside: ["fastify", "bare-http"],
    longer: 4,
  },
  {
    name: "no-op: health/live",
    path: "/health/live",
    beside: ["bare-http"],
    longer: 8,
    isOfGateway: true,
  },
];

/** Those that services answer. */
export const CALLS = ROWS.filter(({ isOfGateway }) => isOfGateway !== true);
