import mongoose from "mongoose";
import type { CalendarReference } from "../../services/contracts/calendars.contract.ts";
import { isRefusal } from "../../services/contracts/errors.ts";
import type { GuildId } from "../../services/contracts/ids.ts";
import { calendarWrites } from "../../services/calendar-events/calendar-writes.ts";
import type { StoredEvent } from "../../services/calendar-events/domain/event/event.ts";
import { calendarEventsStore } from "../../services/calendar-events/store/calendar-events.store.ts";
import { calendarsStore } from "../../services/calendar-events/store/calendars.store.ts";
import { eventKeysReader } from "../../services/calendar-events/store/event-keys.store.ts";
import { followReadingsStore } from "../../services/calendar-events/store/follow-readings.store.ts";
import { importsStore } from "../../services/calendar-events/store/imports.store.ts";
import type { FetchResult } from "../../services/calendar-events/follow/fetch-calendar.ts";
import { followManagement } from "../../services/calendar-events/follow/follow-management.ts";
import { importCalendar } from "../../services/calendar-events/follow/import-calendar.ts";
import { type FollowPorts, visitFollow } from "../../services/calendar-events/follow/visit-follow.ts";
import { eventImport } from "../../services/calendar-events/import/event-import.ts";
import { readCalendar } from "../../mixins/icalendar/read-calendar.ts";
import { emptyDatabase } from "./test-services.ts";

type Fetch = FollowPorts["fetch"];

/** Replicas that read followed calendars, on a real MongoDB, with the responses and the clock of the test. */
export async function startFollowReplicas(eventsPerGuild = 1_000) {
  const connection = mongoose.createConnection();
  const store = calendarEventsStore(connection, eventsPerGuild);
  const calendars = calendarsStore(connection);
  const [imports, readings, readKeys] = [
    importsStore(connection),
    followReadingsStore(connection),
    eventKeysReader(connection),
  ];
  await connection.openUri(emptyDatabase(), { writeConcern: { w: "majority" }, readConcernLevel: "majority" });
  for (const model of Object.values(connection.models)) await model.createIndexes();

  const time = { now: Date.now() };
  const clock = { now: () => time.now };
  const write = calendarWrites(calendars);
  const management = followManagement({ calendars, readings, readKeys, clock, isAllowedUrl: () => true, write });
  /** Ids and revisions of the events that were written. */
  const written: string[] = [];
  const ended: string[] = [];

  const parts = {
    store,
    calendars,
    imports,
    readKeys,
    runImport: eventImport({ store, calendars, imports, clock: () => performance.now() }),
    now: () => Date.now(),
    onWritten: () => ({
      event: ({ id, revision }: { readonly id: string; readonly revision: number }) =>
        void written.push(`${id} ${revision}`),
      calendar: () => undefined,
    }),
  };

  const ports = (fetch: Fetch, more: Partial<FollowPorts> = {}): FollowPorts => ({
    clock,
    random: () => 0.5,
    readings,
    isAllowed: async () => true,
    fetch,
    zoneVersion: async () => 0,
    importCalendar: (of, scanned, mayContinue) => importCalendar(parts, of, scanned, mayContinue),
    disable: async (of, followedAt) => void (await management.disable(of, followedAt)),
    reports: {
      ended: (outcome) => void ended.push(outcome),
      // The test fails, and not only the read.
      failed(_operation, error) {
        throw error;
      },
    },
    ...more,
  });

  return {
    time,
    store,
    calendars,
    imports,
    readings,
    management,
    written,
    ended,
    ports,
    async follow(of: CalendarReference, url = "https://calendar.example/a.ics"): Promise<void> {
      const revision = await management.follow({ ...of, url, replace: true });
      if (isRefusal(revision)) throw new Error(revision.refusal);
      // The database's clock sets the time of the first read.
      time.now = Math.max(time.now, (await readings.find(of))?.nextAt ?? 0);
    },
    /** Lets the clock run until an address is due, and reads it. */
    async read(fetch: Fetch, more: Partial<FollowPorts> = {}): Promise<void> {
      const [due] = await dueAt(Number.MAX_SAFE_INTEGER / 4);
      if (due === undefined) throw new Error("no address will ever be read");
      time.now = Math.max(time.now, (await readings.find(due))?.nextAt ?? 0);
      await visitFollow(ports(fetch, more), due, () => false);
    },
    dueNow: () => dueAt(time.now),
    async events(of: CalendarReference): Promise<StoredEvent[]> {
      const keys = await readKeys(of, "", 1_000);
      return store.findAll(
        of.guildId,
        keys.map(({ id }) => id),
      );
    },
    stop: () => connection.close(),
  };

  async function dueAt(now: number) {
    return (await Promise.all([false, true].map((areFailing) => readings.listDue(now, areFailing, 10)))).flat();
  }
}

/** The result of a fetch whose response has this calendar. */
export async function fetched(body: string, etag?: string): Promise<FetchResult> {
  const scanned = await readCalendar(
    (async function* chunks() {
      yield Buffer.from(body);
    })(),
  );
  if (isRefusal(scanned)) throw new Error(JSON.stringify(scanned));
  return { kind: "calendar", scanned, ...(etag === undefined ? {} : { etag }) };
}

/** The first calendar of a guild. */
export function firstCalendar(guild: number): CalendarReference {
  return { guildId: String(guild) as GuildId, calendarNumber: 1 };
}
