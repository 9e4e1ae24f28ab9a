import { type Chance, newChance } from "../../simulator/chance.ts";
import { type FilledGuild, GUILDS, MONTH, WEEK } from "./bench-data.ts";

/** One question that guildcal and its rivals answer alike. */
export interface Row {
  readonly name: string;
  readonly path: string;
  /** Sent in turn, each to a guild that was chosen at random. */
  readonly bodies: readonly object[];
  /** Each answer names another object. */
  readonly isWrite: boolean;
  /**
   * How many times as many requests a round has: a round of fast answers would last a tenth of a second, and a round of
   * creates has to last longer than the two seconds after which dispatch reads them.
   */
  readonly lengthFactor: number;
}

const SEED = 20_261_124;
/** More than a server or the database could remember by the last few requests. */
const DIFFERENT_BODIES = 4_000;
const HOUR = 3_600_000;

function row(
  name: string,
  path: string,
  bodyFor: (guild: FilledGuild, chance: Chance) => object,
  { isWrite = false, lengthFactor = 1 }: Partial<Row> = {},
): Row {
  const chance = newChance(SEED);
  const bodies = Array.from({ length: DIFFERENT_BODIES }, () => bodyFor(chance.oneOf(GUILDS), chance));
  return { name, path, bodies, isWrite, lengthFactor };
}

function calendarOf({ guildId }: FilledGuild) {
  return { guild_id: guildId, calendar_number: 1 };
}

export const ROWS: readonly Row[] = [
  row(
    "events/get",
    "/v2/events/get",
    (guild, chance) => ({ ...calendarOf(guild), event_id: chance.oneOf(guild.eventIds) }),
    { lengthFactor: 2 },
  ),
  row("events/list/range, 50 entries", "/v2/events/list/range", (guild) => ({
    ...calendarOf(guild),
    epoch_start: WEEK.from,
    epoch_end: WEEK.until - 1,
  })),
  row("events/list/month, 12 series", "/v2/events/list/month", (guild) => ({
    ...calendarOf(guild),
    epoch_start: MONTH.from,
    days_in_month: MONTH.days,
  })),
  row("announcement/list, 20 entries", "/v1/announcement/list", ({ guildId }) => ({ guild_id: guildId, amount: -1 })),
  row("guild/settings/get", "/v2/guild/settings/get", ({ guildId }) => ({ guild_id: guildId }), { lengthFactor: 4 }),
  // Last, because dispatch reads the new events for some seconds after.
  row(
    "events/create",
    "/v2/events/create",
    (guild) => ({
      ...calendarOf(guild),
      epoch_start: WEEK.until + HOUR,
      epoch_end: WEEK.until + 2 * HOUR,
      name: "Created",
      color: "BLUE",
    }),
    { isWrite: true, lengthFactor: 3 },
  ),
];

export const ROW_NAMES = ROWS.map(({ name }) => name);
