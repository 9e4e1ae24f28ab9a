import { ServiceBroker } from "moleculer";
import { brokerOptions } from "../../../../moleculer.config.ts";
import { calendarEventsService } from "../../../../services/calendar-events/calendar-events.service.ts";
import { createEvent, type EventView, listEvents } from "../../../../services/contracts/calendar-events.contract.ts";
import { median } from "../requests/figures.ts";
import { guildIdAt } from "./synthetic-guilds.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** Requests of each kind in a round, to each database. */
const REQUESTS = 200;

/** A database with a number of guilds, and the service of events on it. */
export interface Subject {
  readonly guilds: number;
  readonly mongoUrl: string;
}

export interface Costs {
  /** Medians of the rounds, in milliseconds, in the order of the subjects. */
  readonly list: readonly (readonly number[])[];
  readonly create: readonly (readonly number[])[];
}

/**
 * Compares requests to several databases: each request is sent to one database after the other, so that they share all
 * disturbances. Each guild gets one request, so that it is not in a cache because of an earlier request.
 */
export async function compareRequests(subjects: readonly Subject[], rounds: number): Promise<Costs> {
  const brokers = await Promise.all(subjects.map(startCalendarService));
  const [list, create]: [number[][], number[][]] = [subjects.map(() => []), subjects.map(() => [])];
  try {
    // V8 compiles during the first round, which is not counted.
    for (let round = -1; round < rounds; round += 1) {
      const took = { list: subjects.map(() => [] as number[]), create: subjects.map(() => [] as number[]) };
      for (let at = 0; at < REQUESTS; at += 1) {
        for (const [index, broker] of brokers.entries()) {
          const guildId = guildIdAt(rankOf(subjects[index] as Subject, (round + 1) * REQUESTS + at));
          const from = Date.now();
          const window = { guildId, calendarNumber: 1, from: from - 30 * DAY, until: from + 30 * DAY };
          took.list[index]?.push(await milliseconds(() => broker.call<EventView[], object>(listEvents.name, window)));
          const event = { guildId, calendarNumber: 1, startsAt: from + 20 * DAY, endsAt: from + 20 * DAY + HOUR };
          took.create[index]?.push(await milliseconds(() => broker.call(createEvent.name, { ...event, name: "new" })));
        }
      }
      if (round < 0) continue;
      for (const [index] of subjects.entries()) {
        list[index]?.push(median(took.list[index] ?? []));
        create[index]?.push(median(took.create[index] ?? []));
      }
    }
  } finally {
    await Promise.all(brokers.map((broker) => broker.stop()));
  }
  return { list, create };
}

/** One of the guilds with one event, which most are: small responses show the cost of finding them best. */
function rankOf({ guilds }: Subject, at: number): number {
  const first = Math.ceil(guilds * 0.3);
  // A prime, so that guilds of two requests in a row are not neighbours in an index.
  return first + ((at * 7_919) % (guilds - first));
}

async function startCalendarService({ mongoUrl }: Subject, index: number): Promise<ServiceBroker> {
  const options = brokerOptions({ nodeId: `bench.${index}`, natsUrl: undefined, logLevel: "error" });
  const broker = new ServiceBroker(options);
  broker.createService(calendarEventsService({ mongoUrl }));
  await broker.start();
  return broker;
}

async function milliseconds(request: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await request();
  return performance.now() - start;
}
