import { type Chance, newChance } from "../../simulator/chance.ts";
import { CREATED, type FilledGuild, GUILDS, MONTH, WEEK } from "./bench-data.ts";

/** A kind of request to which guildcal and its baselines give the same response. */
export interface Row {
  readonly name: string;
  readonly path: string;
  /** The bodies, which are sent in turn, each for a random guild. */
  readonly bodies: readonly object[];
  /** Whether each response has another id. */
  readonly isWrite: boolean;
  /**
   * Factor of the requests in a round. A round of fast responses would last only a tenth of a second, and a round of creates
   * must last longer than the two seconds after which dispatch reads them.
   */
  readonly lengthFactor: number;
}

const SEED = 20_261_124;
/** More guilds than a server or the database could cache from the last requests. */
const DIFFERENT_BODIES = 4_000;

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
  // The last row, because dispatch reads the new events for some seconds afterwards.
  row(
    "events/create",
    "/v2/events/create",
    (guild) => ({
      ...calendarOf(guild),
      epoch_start: CREATED.from,
      epoch_end: CREATED.until,
      name: "Created",
      color: "BLUE",
    }),
    { isWrite: true, lengthFactor: 3 },
  ),
];

export const ROW_NAMES = ROWS.map(({ name }) => name);
