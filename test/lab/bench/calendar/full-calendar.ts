import { ServiceBroker } from "moleculer";
import { brokerOptions } from "../../../../moleculer.config.ts";
import { calendarEventsService } from "../../../../services/calendar-events/calendar-events.service.ts";
import { UTC } from "../../../../services/calendar-events/domain/calendar/zone.ts";
import { overlaps } from "../../../../services/calendar-events/domain/event/window.ts";
import type { Window } from "../../../../services/contracts/window.ts";
import { occurrencesOverlapping } from "../../../../services/calendar-events/domain/recurrence/occurrences.ts";
import { fullRecurrence } from "../../../../services/calendar-events/domain/recurrence/parse-recurrence.ts";
import {
  type EventView,
  listEvents,
  listOngoingEvents,
} from "../../../../services/contracts/calendar-events.contract.ts";
import type { GuildId } from "../../../../services/contracts/ids.ts";
import { openCalendar } from "../../../calendar/filled-calendar.ts";
import { ongoingSeries, type NewEvent, twentyYears } from "../../../calendar/many-events.ts";
import { median } from "../requests/figures.ts";
import type { Section } from "../table/section.ts";
import { medianRow, type TableRow } from "../table/table-row.ts";

const NAME = "calendar";
const DAY = 86_400_000;
const AT = Date.UTC(2024, 4, 8, 18, 30);
const SINGLES = 50_000;
const SERIES = 2_000;
/** Number of lists of each calendar in a round. */
const LISTS = 60;

/** A list, with its maximum duration relative to a calendar that has only the listed entries. */
interface List {
  readonly name: string;
  readonly window: Window;
  readonly most: number;
  readonly exactGuild: GuildId;
}

const LISTED: readonly List[] = [
  { name: "month", window: { from: AT, until: AT + 31 * DAY }, most: 1.5, exactGuild: "2" as GuildId },
  { name: "day", window: { from: AT, until: AT + DAY }, most: 3, exactGuild: "3" as GuildId },
  { name: "ongoing", window: { from: AT, until: AT + 1 }, most: 3, exactGuild: "4" as GuildId },
];
const FULL = "1" as GuildId;

/** Twenty years of single events and of series, most of which have ended, and weekly and yearly series without an end. */
function fullCalendar(): NewEvent[] {
  const singles = twentyYears(2 * SINGLES).filter(({ recurrence }) => recurrence === undefined);
  const ended = twentyYears(SERIES).filter(({ recurrence }) => recurrence !== undefined);
  return [...singles, ...ended, ...ongoingSeries(SERIES - ended.length)];
}

function isIn(window: Window): (event: NewEvent) => boolean {
  const clock = [{ zone: UTC, since: 0 }] as const;
  return ({ startsAt = 0, endsAt = 0, recurrence }) =>
    recurrence === undefined
      ? overlaps({ startsAt, endsAt }, window)
      : occurrencesOverlapping({ startsAt, endsAt, recurrence: fullRecurrence(recurrence), clock }, window, 1).length >
        0;
}

/** Compares lists of a full calendar with lists of calendars that have only the listed entries. */
export const FULL_CALENDAR: Section = {
  name: NAME,
  heading: "calendar",
  rowNames: LISTED.map(({ name }) => name),
  hasServerCpu: false,

  async measure({ given: { mongoUrl }, pace: { rounds }, isChosen }) {
    const broker = new ServiceBroker(brokerOptions({ nodeId: "bench.1", natsUrl: undefined, logLevel: "error" }));
    try {
      const calendar = await openCalendar(mongoUrl);
      const full = fullCalendar();
      await calendar.fill(FULL, full);
      for (const { window, exactGuild } of LISTED) await calendar.fill(exactGuild, full.filter(isIn(window)));
      await calendar.connection.close();
      broker.createService(calendarEventsService({ mongoUrl, now: () => AT }));
      await broker.start();
      const rows: TableRow[] = [];
      for (const list of LISTED.filter(({ name }) => isChosen(name))) rows.push(await compare(broker, list, rounds));
      return { rows, figures: rows };
    } finally {
      await broker.stop();
    }
  },
};

async function compare(broker: ServiceBroker, { name, window, most, exactGuild }: List, rounds: number) {
  const list = (guildId: GuildId): Promise<EventView[]> =>
    name === "ongoing"
      ? broker.call(listOngoingEvents.name, { guildId, calendarNumber: 1 })
      : broker.call(listEvents.name, { guildId, calendarNumber: 1, ...window });
  const { length } = await list(exactGuild);
  const medians: { readonly full: number; readonly only: number }[] = [];
  // A round before the first is not counted: V8 compiles during it.
  for (let round = -1; round < rounds; round += 1) {
    const took: Record<"full" | "only", number[]> = { full: [], only: [] };
    for (let at = 0; at < LISTS; at += 1) {
      took.only.push(await milliseconds(() => list(exactGuild), length));
      took.full.push(await milliseconds(() => list(FULL), length));
    }
    if (round >= 0) medians.push({ full: median(took.full), only: median(took.only) });
  }
  const [full, only] = [median(medians.map((each) => each.full)), median(medians.map((each) => each.only))];
  return medianRow({
    row: `${NAME}: ${name}, ${length} entries`,
    figure: "time ÷ a calendar of these alone",
    unit: "",
    bound: { most },
    rounds: medians.map((each) => each.full / each.only),
    detail: `${full.toFixed(2)} : ${only.toFixed(2)} ms`,
  });
}

async function milliseconds(list: () => Promise<EventView[]>, entries: number): Promise<number> {
  const start = performance.now();
  const { length } = await list();
  if (length !== entries) throw new Error(`listed ${length} entries instead of ${entries}`);
  return performance.now() - start;
}
