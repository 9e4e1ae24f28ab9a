import type { Service, ServiceSchema } from "moleculer";
import { type CallContext, serve } from "../../../mixins/actions/contract-action.ts";
import { type ActionCaller, broadcast } from "../../../mixins/actions/typed-calls.ts";
import { downloader } from "../../../mixins/http/download.ts";
import type { PrivateNetworks } from "../../../mixins/http/private-networks.ts";
import { isAllowedUrl, type ResolveAll } from "../../../mixins/http/target-guard.ts";
import { newDatabaseClock } from "../../../mixins/mongo/database-clock.ts";
import { DATABASE_PING_TIMEOUT_MS, databaseTime } from "../../../mixins/mongo/database.mixin.ts";
import { runInWriteContext, runOutsideWrite } from "../../../mixins/mongo/write-context.ts";
import { newWriteId } from "../../../mixins/mongo/write-id.ts";
import { calendarEventChanged } from "../../contracts/calendar-events.contract.ts";
import { followCalendar, getCalendarFollow, unfollowCalendar } from "../../contracts/calendar-follows.contract.ts";
import { calendarChanged, type CalendarReference } from "../../contracts/calendars.contract.ts";
import { isRefusal, type Refusal } from "../../contracts/errors.ts";
import type { EventId, GuildId } from "../../contracts/ids.ts";
import type { WriteCalendar } from "../calendar-writes.ts";
import { anchorOf } from "../domain/calendar/calendar.ts";
import type { EventImport } from "../import/event-import.ts";
import type { CalendarEventsStore } from "../store/calendar-events.store.ts";
import type { CalendarsStore } from "../store/calendars.store.ts";
import { eventKeysReader } from "../store/event-keys.store.ts";
import { followReadingsStore } from "../store/follow-readings.store.ts";
import type { ImportsStore } from "../store/imports.store.ts";
import { fetchCalendar } from "./fetch-calendar.ts";
import { countDisabled, countRead, exportFollowMetrics, updateOverdue } from "./follow.metrics.ts";
import { followManagement } from "./follow-management.ts";
import { type FollowScheduler, newFollowScheduler } from "./follow-scheduler.ts";
import { type FollowedCalendars, followedCalendars } from "./followed-calendars.ts";
import { importCalendar } from "./import-calendar.ts";
import type { FollowPorts } from "./visit-follow.ts";

export interface FollowOptions {
  /** The private, loopback and link-local addresses that are allowed. */
  readonly allowPrivate: PrivateNetworks;
  /** Replaces the system's resolver. */
  readonly resolve?: ResolveAll;
}

interface FollowParts {
  readonly connection: Parameters<typeof followReadingsStore>[0];
  readonly store: CalendarEventsStore;
  readonly calendars: CalendarsStore;
  readonly imports: ImportsStore;
  readonly runImport: EventImport;
  readonly writeCalendar: WriteCalendar;
  readonly isAllowed: (guildId: GuildId, calendarNumber: number, caller: ActionCaller) => Promise<boolean>;
  readonly ifAllowed: <Params extends CalendarReference, Result>(
    params: Params,
    context: CallContext<Params>,
    work: () => Promise<Result | Refusal>,
  ) => Promise<Result | Refusal>;
}

/** The part of the service that feeds calendars from addresses (D55). */
export interface CalendarFollows extends Pick<FollowedCalendars, "refusal"> {
  readonly actions: NonNullable<ServiceSchema["actions"]>;
  start(service: Pick<Service, "broker" | "logger">): Promise<void>;
  stop(): Promise<void>;
}

/** Interval between samples of the database's clock. */
const CLOCK_SAMPLE_MS = 5_000;

export function calendarFollows(parts: FollowParts, { allowPrivate, resolve }: FollowOptions): CalendarFollows {
  const { connection, store, calendars, imports, runImport, writeCalendar, isAllowed, ifAllowed } = parts;
  const monotonic = () => performance.now();
  const clock = newDatabaseClock(() => databaseTime(connection, DATABASE_PING_TIMEOUT_MS), monotonic);
  const readings = followReadingsStore(connection);
  const readKeys = eventKeysReader(connection);
  const followed = followedCalendars(readings, monotonic);
  const management = followManagement({
    calendars,
    readings,
    readKeys,
    clock,
    isAllowedUrl: (url) => isAllowedUrl(url, allowPrivate),
    write: writeCalendar,
  });
  const downloads = downloader({ allowPrivate, ...(resolve === undefined ? {} : { resolve }) });
  const stopping = new AbortController();
  let scheduler: FollowScheduler | undefined;
  let sampling: NodeJS.Timeout | undefined;

  async function changed(
    { guildId, calendarNumber }: CalendarReference,
    context: CallContext<unknown>,
    write: Promise<number | Refusal>,
  ) {
    const revision = await write;
    if (isRefusal(revision)) return revision;
    followed.forget(guildId);
    broadcast(context, calendarChanged, { guildId, calendarNumber, revision });
    runOutsideWrite(() => scheduler?.poll());
    return undefined;
  }

  function portsOf({ broker, logger }: Pick<Service, "broker" | "logger">): FollowPorts {
    const importParts = {
      store,
      calendars,
      imports,
      runImport,
      readKeys,
      now: () => clock.now(),
      onWritten: ({ guildId, calendarNumber }: CalendarReference) => ({
        event: ({ id: eventId, revision }: { readonly id: EventId; readonly revision: number }) =>
          broadcast(broker, calendarEventChanged, { guildId, eventId, revision }),
        calendar: (revision: number) => broadcast(broker, calendarChanged, { guildId, calendarNumber, revision }),
      }),
    };
    return {
      clock,
      random: Math.random,
      readings,
      isAllowed: ({ guildId, calendarNumber }) => isAllowed(guildId, calendarNumber, broker),
      fetch: (url, validators) => fetchCalendar(downloads, url, validators, stopping.signal),
      zoneVersion: async ({ guildId, calendarNumber }) =>
        anchorOf(await calendars.find(guildId, calendarNumber)).version,
      importCalendar: (of, scanned, mayContinue) => importCalendar(importParts, of, scanned, mayContinue),
      async disable(of, followedAt) {
        const disable = () => management.disable(of, followedAt);
        const revision = await runInWriteContext({ id: newWriteId() }, disable);
        if (revision === undefined) return;
        const { guildId, calendarNumber } = of;
        countDisabled();
        logger.warn({ guildId, calendarNumber }, "followed calendar disabled");
        broadcast(broker, calendarChanged, { guildId, calendarNumber, revision });
      },
      reports: {
        ended(outcome, { guildId, calendarNumber, error }) {
          countRead(outcome);
          if (error !== undefined) logger.info({ guildId, calendarNumber, error }, "followed calendar not read");
        },
        failed: (operation, error) => logger.warn({ operation, err: error }, "follow operation failed"),
      },
    };
  }

  return {
    refusal: (of) => followed.refusal(of),

    actions: {
      ...serve(followCalendar, (params, context) =>
        ifAllowed(params, context, () => changed(params, context, management.follow(params))),
      ),
      ...serve(unfollowCalendar, (params, context) =>
        ifAllowed(params, context, () => changed(params, context, management.unfollow(params))),
      ),
      ...serve(getCalendarFollow, (params, context) =>
        ifAllowed(params, context, () => management.get(params, context.meta.caller?.access !== "read")),
      ),
    },

    async start(service) {
      exportFollowMetrics();
      await clock.sample();
      const sample = () =>
        void Promise.all([clock.sample().catch(() => undefined), updateOverdue(readings, clock.now())]);
      sampling = setInterval(sample, CLOCK_SAMPLE_MS);
      scheduler = newFollowScheduler(portsOf(service), () => stopping.abort());
      scheduler.start();
    },

    async stop() {
      clearInterval(sampling);
      await scheduler?.stop();
      downloads.close();
    },
  };
}
