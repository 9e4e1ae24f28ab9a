import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServiceBroker } from "moleculer";
import { brokerOptions } from "../../moleculer.config.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import { type EventView, listEvents } from "../../services/contracts/calendar-events.contract.ts";
import type { GuildId } from "../../services/contracts/ids.ts";
import { startMongod } from "../../services/launch/embedded-mongod.ts";
import { fullRecurrence } from "../../services/calendar-events/domain/create-event.ts";
import { occurrencesTouching } from "../../services/calendar-events/domain/occurrences.ts";
import { UTC } from "../../services/calendar-events/domain/zone.ts";
import { openCalendar } from "../calendar/filled-calendar.ts";
import { everyKind, type NewEvent } from "../calendar/many-events.ts";
import type { Line } from "./line.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const month = { from: Date.UTC(2024, 4, 1), until: Date.UTC(2024, 5, 1) };
const SMALL = ["1" as GuildId, 1_000] as const;
const LARGE = ["2" as GuildId, 100_000] as const;
const KINDS = ["3" as GuildId, 20_000] as const;
const LISTS = 400;

/** A hundred entries in May 2024: sixty single events, and ten series with four occurrences each. */
function inTheMonth(): NewEvent[] {
  const singles = Array.from({ length: 60 }, (_, at): NewEvent => {
    const startsAt = month.from + at * 12 * HOUR;
    return { startsAt, endsAt: startsAt + HOUR, name: `single ${at}` };
  });
  const series = Array.from({ length: 10 }, (_, at): NewEvent => {
    const startsAt = month.from + at * HOUR - 52 * 7 * DAY;
    const recurrence = { frequency: "WEEKLY", count: 56 } as const;
    return { startsAt, endsAt: startsAt + HOUR, name: `series ${at}`, recurs: true, recurrence };
  });
  return [...singles, ...series];
}

/** Twenty years of other months: single events, series that ended or begin later, and yearly ones without an end. */
function inOtherMonths(count: number): NewEvent[] {
  return Array.from({ length: count }, (_, at): NewEvent => {
    const days = ((at * 7919) % 3600) + 40;
    const startsAt = at % 2 === 0 ? month.from - days * DAY : month.until + days * DAY;
    const times = { startsAt, endsAt: startsAt + HOUR, name: `other ${at}` };
    if (at % 4 < 2) return times;
    if (at % 8 < 4) return { ...times, recurs: true, recurrence: { frequency: "DAILY", count: 30 } };
    const autumn = Date.UTC(2010 + (at % 10), 8, 1 + (at % 60)) + (at % 20) * HOUR;
    return { startsAt: autumn, endsAt: autumn + HOUR, recurs: true, recurrence: { frequency: "YEARLY" } };
  });
}

/** Series of as many kinds as a calendar may have, that have nothing in May 2024. */
function ofEveryKind(count: number): NewEvent[] {
  const clock = [{ zone: UTC, since: 0 }] as const;
  const isElsewhere = ({ startsAt, endsAt, recurrence }: NewEvent) =>
    recurrence !== undefined &&
    occurrencesTouching({ startsAt, endsAt, recurrence: fullRecurrence(recurrence), clock }, month, 1).length === 0;
  return everyKind(2 * count, 0)
    .filter(isElsewhere)
    .slice(0, count);
}

/** A month of 100 entries in a small and in a large calendar, which costs at most 1.2 times as much. */
export async function benchListing(): Promise<Line[]> {
  const directory = await mkdtemp(join(tmpdir(), "guildcal-bench-"));
  const mongod = await startMongod(directory);
  const broker = new ServiceBroker(brokerOptions({ nodeId: "bench.1", natsUrl: undefined, logLevel: "error" }));
  try {
    const calendar = await openCalendar(mongod.url);
    for (const [guildId, size] of [SMALL, LARGE]) {
      const those = inTheMonth();
      await calendar.fill(guildId, [...those, ...inOtherMonths(size - those.length)]);
    }
    await calendar.fill(KINDS[0], [...inTheMonth(), ...ofEveryKind(KINDS[1] - 70)]);
    await calendar.connection.close();
    broker.createService(calendarEventsService({ mongoUrl: mongod.url }));
    await broker.start();
    return await compare((guildId) => broker.call(listEvents.name, { guildId, calendarNumber: 1, ...month }));
  } finally {
    await broker.stop();
    await mongod.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function compare(list: (guildId: GuildId) => Promise<EventView[]>): Promise<Line[]> {
  const took: Record<"small" | "large" | "kinds", number[]> = { small: [], large: [], kinds: [] };
  for (let at = 0; at < LISTS; at += 1) {
    took.small.push(await milliseconds(() => list(SMALL[0])));
    took.large.push(await milliseconds(() => list(LARGE[0])));
    took.kinds.push(await milliseconds(() => list(KINDS[0])));
  }
  const [small, large, kinds] = [median(took.small), median(took.large), median(took.kinds)];
  const held = large <= 1.2 * small;
  const times = `1 000 events ${small.toFixed(2)} ms | 100 000 events ${large.toFixed(2)} ms`;
  return [
    { held, text: `a month of 100 entries: ${times} | ${(large / small).toFixed(2)}x` },
    {
      held: true,
      text: `in 20 000 events of a hundred kinds: ${kinds.toFixed(2)} ms | ${(kinds / small).toFixed(2)}x`,
    },
  ];
}

async function milliseconds(list: () => Promise<EventView[]>): Promise<number> {
  const start = performance.now();
  const { length } = await list();
  if (length !== 100) throw new Error(`listed ${length} entries instead of 100`);
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
