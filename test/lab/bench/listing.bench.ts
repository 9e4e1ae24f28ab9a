import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServiceBroker } from "moleculer";
import { brokerOptions } from "../../../moleculer.config.ts";
import { calendarEventsService } from "../../../services/calendar-events/calendar-events.service.ts";
import { type EventView, listEvents, listOngoingEvents } from "../../../services/contracts/calendar-events.contract.ts";
import type { GuildId } from "../../../services/contracts/ids.ts";
import { startMongod } from "../../../services/launch/embedded/embedded-mongod.ts";
import { fullRecurrence } from "../../../services/calendar-events/domain/recurrence/parse-recurrence.ts";
import { occurrencesOverlapping } from "../../../services/calendar-events/domain/recurrence/occurrences.ts";
import { overlaps, type Window } from "../../../services/calendar-events/domain/event/window.ts";
import { UTC } from "../../../services/calendar-events/domain/calendar/zone.ts";
import { openCalendar } from "../../calendar/filled-calendar.ts";
import { goingOn, type NewEvent, twentyYears } from "../../calendar/many-events.ts";
import type { Line } from "./line.ts";

const DAY = 86_400_000;
const AT = Date.UTC(2024, 4, 8, 18, 30);
const SINGLES = 50_000;
const SERIES = 2_000;
const LISTS = 300;

/** A list that is asked for, and how many times as long it may take as in a calendar that holds nothing but its answer. */
interface Asked {
  readonly name: string;
  readonly window: Window;
  readonly most: number;
  readonly onlyAnswer: GuildId;
}

const ASKED: readonly Asked[] = [
  { name: "month", window: { from: AT, until: AT + 31 * DAY }, most: 1.5, onlyAnswer: "2" as GuildId },
  { name: "day", window: { from: AT, until: AT + DAY }, most: 3, onlyAnswer: "3" as GuildId },
  { name: "ongoing", window: { from: AT, until: AT + 1 }, most: 3, onlyAnswer: "4" as GuildId },
];
const FULL = "1" as GuildId;

/** Twenty years of single events and series, and series that all go on: of those weekly and yearly ones, above all. */
function fullCalendar(): NewEvent[] {
  const years = twentyYears(2 * SINGLES).filter(({ recurrence }) => recurrence === undefined);
  const ended = twentyYears(SERIES).filter(({ recurrence }) => recurrence !== undefined);
  return [...years, ...ended, ...goingOn(SERIES - ended.length)];
}

function isIn(window: Window): (event: NewEvent) => boolean {
  const clock = [{ zone: UTC, since: 0 }] as const;
  return ({ startsAt, endsAt, recurrence }) =>
    recurrence === undefined
      ? overlaps({ startsAt, endsAt }, window)
      : occurrencesOverlapping({ startsAt, endsAt, recurrence: fullRecurrence(recurrence), clock }, window, 1).length >
        0;
}

/** Lists of a full calendar, beside those of calendars that hold nothing but the answer. */
export async function benchListing(): Promise<Line[]> {
  const directory = await mkdtemp(join(tmpdir(), "guildcal-bench-"));
  const mongod = await startMongod(directory);
  const broker = new ServiceBroker(brokerOptions({ nodeId: "bench.1", natsUrl: undefined, logLevel: "error" }));
  try {
    const calendar = await openCalendar(mongod.url);
    const full = fullCalendar();
    await calendar.fill(FULL, full);
    for (const { window, onlyAnswer } of ASKED) await calendar.fill(onlyAnswer, full.filter(isIn(window)));
    await calendar.connection.close();
    broker.createService(calendarEventsService({ mongoUrl: mongod.url, now: () => AT }));
    await broker.start();
    const lines: Line[] = [];
    for (const asked of ASKED) lines.push(await compare(broker, asked));
    return lines;
  } finally {
    await broker.stop();
    await mongod.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function compare(broker: ServiceBroker, { name, window, most, onlyAnswer }: Asked): Promise<Line> {
  const list = (guildId: GuildId): Promise<EventView[]> =>
    name === "ongoing"
      ? broker.call(listOngoingEvents.name, { guildId, calendarNumber: 1 })
      : broker.call(listEvents.name, { guildId, calendarNumber: 1, ...window });
  const took: Record<"full" | "only", number[]> = { full: [], only: [] };
  const { length } = await list(onlyAnswer);
  for (let at = 0; at < LISTS; at += 1) {
    took.only.push(await milliseconds(() => list(onlyAnswer), length));
    took.full.push(await milliseconds(() => list(FULL), length));
  }
  const [only, full] = [median(took.only), median(took.full)];
  const times = `alone ${only.toFixed(2)} ms | in a full calendar ${full.toFixed(2)} ms`;
  return { held: full <= most * only, text: `${name} of ${length} entries: ${times} | ${(full / only).toFixed(2)}x` };
}

async function milliseconds(list: () => Promise<EventView[]>, entries: number): Promise<number> {
  const start = performance.now();
  const { length } = await list();
  if (length !== entries) throw new Error(`listed ${length} entries instead of ${entries}`);
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
