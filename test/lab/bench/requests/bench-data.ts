import { newEventId } from "../../../../services/calendar-events/domain/event/event-id.ts";
import type { GuildId } from "../../../../services/contracts/ids.ts";
import type { NewEvent } from "../../../calendar/many-events.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A week of fifty single events. */
export const WEEK = { from: Date.UTC(2024, 4, 1), until: Date.UTC(2024, 4, 8) };
/** A month of thirty single events, and of twelve weekly series with four occurrences each. */
export const MONTH = { from: Date.UTC(2025, 1, 1), days: 28 };

const CREATED_FROM = (Math.floor(Date.now() / DAY) + 30) * DAY;
/** The events that are created start in thirty days: dispatch does not plan their guilds yet. */
export const CREATED = { from: CREATED_FROM, until: CREATED_FROM + HOUR };

const GUILD_COUNT = 200;
const EVENTS_EACH = 150;
/** An id with more digits than a double has. */
const LONG_ID = "375357265198317579";

/** A guild of the bench, and the ids of the events of its week. */
export interface FilledGuild {
  readonly guildId: GuildId;
  readonly eventIds: readonly string[];
}

/** The guilds of the requests. Their events are written in this order, which determines the ids. */
export const GUILDS: readonly FilledGuild[] = Array.from({ length: GUILD_COUNT }, (_, at) => ({
  guildId: (at === 0 ? LONG_ID : String(1_000_000 + at)) as GuildId,
  eventIds: eventsOfWeek().map((_event, event) => newEventId(at * EVENTS_EACH + event + 1, new Uint8Array(15))),
}));

/** The events of each guild, beginning with those of the week. */
export function guildEvents(): NewEvent[] {
  const listed = [...eventsOfWeek(), ...eventsOfMonth()];
  return [...listed, ...eventsOutside(EVENTS_EACH - listed.length)];
}

function eventsOfWeek(): NewEvent[] {
  return Array.from({ length: 50 }, (_, at) => ({
    startsAt: WEEK.from + at * 3 * HOUR,
    endsAt: WEEK.from + at * 3 * HOUR + 2 * HOUR,
    name: `Raid night ${at}`,
    description: "Bring potions, food and a spare set; we meet at the gate a quarter of an hour before.",
    location: "The usual place",
    color: "RED" as const,
  }));
}

function eventsOfMonth(): NewEvent[] {
  const singles = Array.from({ length: 30 }, (_, at) => ({
    startsAt: MONTH.from + at * 22 * HOUR,
    endsAt: MONTH.from + at * 22 * HOUR + HOUR,
    name: `Meeting ${at}`,
  }));
  const first = firstDayOfSeries();
  const series = Array.from({ length: 12 }, (_, at) => ({
    startsAt: first + at * HOUR,
    endsAt: first + (at + 1) * HOUR,
    name: `Every week ${at}`,
    recurs: true,
    recurrence: { frequency: "WEEKLY" as const, count: at % 2 === 0 ? -1 : 20 },
  }));
  return [...singles, ...series];
}

/**
 * A start in the fortnight before the month, on the weekday four days after today. Dispatch plans two days ahead, so that it
 * has no post of a series to plan or send during the bench on any weekday.
 */
function firstDayOfSeries(): number {
  const earliest = MONTH.from / DAY - 14;
  const quiet = Math.floor(Date.now() / DAY) + 4;
  return (earliest + ((((quiet - earliest) % 7) + 7) % 7)) * DAY;
}

/** Past events of other months, which no window of the bench may read. */
function eventsOutside(count: number): NewEvent[] {
  return Array.from({ length: count }, (_, at) => {
    const startsAt = at % 2 === 0 ? WEEK.from - (40 + ((at * 7919) % 3_600)) * DAY : MONTH.from + (35 + at * 4) * DAY;
    return { startsAt, endsAt: startsAt + HOUR, name: `Outside ${at}` };
  });
}
