import { randomUUID } from "node:crypto";
import type { Service, ServiceSchema } from "moleculer";
import { serve } from "../../mixins/actions/contract-action.ts";
import { listen } from "../../mixins/actions/contract-event.ts";
import { closedConnection, databaseMixin, databaseTime } from "../../mixins/mongo/database.mixin.ts";
import { healthMixin } from "../../mixins/actions/health.mixin.ts";
import { isOperator } from "../../mixins/actions/may-call.ts";
import { announcementChanged } from "../contracts/announcements.contract.ts";
import { calendarEventChanged } from "../contracts/calendar-events.contract.ts";
import { calendarChanged } from "../contracts/calendars.contract.ts";
import {
  listPostHistory,
  listPostHistoryPage,
  listUpcomingPosts,
  listUpcomingPostsPage,
  previewPost,
} from "../contracts/dispatch.contract.ts";
import { isRefusal } from "../contracts/errors.ts";
import { diffPlan, previewDrafts } from "../contracts/plan-diff.contract.ts";
import { listSettledPosts } from "../contracts/guild-changes.contract.ts";
import { listMissedNotifications } from "../contracts/occurrence-notifications.contract.ts";
import { webhookChanged } from "../contracts/webhooks.contract.ts";
import { guildSettingsChanged } from "../contracts/guild-settings.contract.ts";
import type { GuildId } from "../contracts/ids.ts";
import { withTimeouts } from "../../mixins/async/timeout.ts";
import { newDatabaseClock } from "../../mixins/mongo/database-clock.ts";
import { newChannelChecks } from "./channel-checks/channel-checks.ts";
import { channelChecksStore } from "./channel-checks/channel-checks.store.ts";
import { withPlanCounter, exportDispatchMetrics, startGauges, withSendTiming } from "./dispatch.metrics.ts";
import { tracer } from "../../mixins/observability/tracer.ts";
import { renderCancelled } from "./domain/message/edited-message.ts";
import { renderAnnouncement } from "./domain/message/announcement-message.ts";
import { notPlannedNotice } from "./queries/not-planned.ts";
import { readHistory } from "./queries/history.ts";
import { newComparisonTurns } from "./queries/comparison-turns.ts";
import { diffPlanOf } from "./queries/diff-plan.ts";
import { renderDraftPreviews } from "./queries/preview-drafts.ts";
import { upcomingWindow } from "./queries/upcoming-window.ts";
import { missedNotificationsPage } from "./queries/missed-notifications.ts";
import { historyPage, upcomingPage } from "./queries/post-pages.ts";
import { withKnownChannels } from "./channel-checks/known-channels.ts";
import { draftOwners } from "./adapters/draft-owners.ts";
import { knownReplicas } from "./adapters/known-replicas.ts";
import { unreadChanges } from "./adapters/unread-changes.ts";
import { outcomeReports } from "./adapters/outcome-reports.ts";
import { LONG_TIMEOUT_MS, ownerServices } from "./adapters/owner-services.ts";
import { notificationStore, sharedHeartbeats } from "./notifications/notifications.store.ts";
import { newOccurrenceNotifier, type OccurrenceNotifier } from "./notifications/occurrence-notifier.ts";
import { missedNotificationsStore } from "./store/missed-notifications.store.ts";
import { postsStore } from "./store/posts.store.ts";
import { renderPreview } from "./queries/preview.ts";
import { type BroadcastChange, type Dispatcher, newDispatcher } from "./protocol/dispatcher.ts";
import { FEEDS } from "./protocol/feeds.ts";
import type { Ports, Timers } from "./protocol/ports.ts";
import { STANDARD_TIMING, type Timing } from "./protocol/timing.ts";
import type { Sink } from "./sinks/sink.ts";
import { withTracing } from "./sinks/sink-tracing.ts";

export interface DispatchOptions {
  readonly mongoUrl: string;
  /** Closed when the service stops. */
  readonly sinks: readonly Sink[];
  /** How late an announcement may be posted (D30). */
  readonly graceMs: number;
  /** How long the stop waits for posts in work. */
  readonly drainMs?: number;
  /** Replaces values of `STANDARD_TIMING`. */
  readonly timing?: Partial<Timing>;
}

const STORE_TIMEOUT_MS = 5_000;
/** The first plan of a large guild is a large transaction. */
const COMMIT_TIMEOUT_MS = 30_000;
const CLOCK_SAMPLE_MS = 5_000;
const DRAIN_MS = 8_000;
const MAX_OWNERS_WAIT_MS = 5_000;

/** The dispatch service; see README.md beside this file. */
export function dispatchService(options: DispatchOptions): ServiceSchema {
  const { mongoUrl, sinks, graceMs, drainMs = DRAIN_MS } = options;
  const connection = closedConnection();
  const heartbeats = sharedHeartbeats();
  const store = heartbeats.shared(withPlanCounter(postsStore(connection)));
  const clock = newDatabaseClock(
    () => databaseTime(connection, STORE_TIMEOUT_MS),
    () => performance.now(),
  );
  const notifications = notificationStore(connection, clock, heartbeats);
  const missedNotifications = missedNotificationsStore(connection);
  const checks = channelChecksStore(connection);
  const channelChecks = newChannelChecks({ checks, store, sinks, clock });
  const queryPorts = { store, sinks: sinks.map(({ name }) => name), graceMs };
  let dispatcher: Dispatcher | undefined;
  let notifier: OccurrenceNotifier | undefined;
  let sampling: NodeJS.Timeout | undefined;
  let stopGauges = () => {};

  function portsOf({ broker, logger }: Service): Ports {
    const replicas = knownReplicas(broker);
    for (const sink of sinks) sink.shareAmong?.(() => replicas.sending());
    return {
      clock,
      timers: processTimers,
      random: { fraction: Math.random, id: randomUUID },
      store: withTimeouts(store, storeTimeoutMs),
      owners: ownerServices(broker),
      replicas,
      sinks: sinks.map((sink) =>
        withTracing(withSendTiming(withKnownChannels(sink, checks, () => clock.now())), tracer()),
      ),
      render: renderAnnouncement,
      renderCancelled,
      reports: { ...outcomeReports(broker, logger), planned: (posts) => channelChecks.onPlanned(posts) },
    };
  }

  function onChange(hint: BroadcastChange): void {
    dispatcher?.onChangeHint(hint);
    notifier?.onChange(hint);
  }

  const inTurn = newComparisonTurns();
  return {
    name: "dispatch",
    mixins: [databaseMixin(connection, mongoUrl, "dispatch"), healthMixin("dispatch", connection)],
    events: {
      ...listen(announcementChanged, ({ guildId, id, revision }) =>
        dispatcher?.onChangeHint({ guildId, record: { feed: "announcements", id, revision } }),
      ),
      ...listen(webhookChanged, ({ guildId }) => notifier?.onWebhookChange({ guildId })),
      ...listen(calendarEventChanged, ({ guildId, startsAt, eventId, revision }) =>
        onChange({ guildId, startsAt, record: { feed: "calendar-events", id: eventId, revision } }),
      ),
      ...listen(calendarChanged, ({ guildId }) => onChange({ guildId })),
      // The owner of events caches the number of calendars of a guild.
      ...listen(guildSettingsChanged, ({ guildId }) => onChange({ guildId })),
    },
    actions: {
      ...serve(listUpcomingPosts, async ({ guildId, amount }) => {
        const [posts, plan] = await Promise.all([store.listUpcoming(guildId, amount), store.guildPlan(guildId)]);
        const notPlanned = notPlannedNotice(plan);
        const withProblems = await channelChecks.withProblems(guildId, posts);
        return notPlanned === undefined ? { posts: withProblems } : { posts: withProblems, notPlanned };
      }),
      ...serve(listUpcomingPostsPage, async ({ guildId, ...params }, { broker }) => {
        const isWindow = params.dueFrom !== undefined || params.dueUntil !== undefined;
        const read = isWindow
          ? upcomingWindow({ ...queryPorts, owners: ownerServices(broker) }, guildId, params, clock.now())
          : upcomingPage(store, guildId, params);
        const [page, plan] = await Promise.all([read, store.guildPlan(guildId)]);
        if (isRefusal(page)) return page;
        const notPlanned = notPlannedNotice(plan);
        const entries = await channelChecks.withProblems(guildId, page.entries);
        return notPlanned === undefined ? { ...page, entries } : { ...page, entries, notPlanned };
      }),
      ...serve(listPostHistoryPage, (params) => historyPage(store, params)),
      ...serve(listPostHistory, (params) => readHistory(store, params)),
      ...serve(listMissedNotifications, (params) => missedNotificationsPage(missedNotifications, params)),
      ...serve(listSettledPosts, (params) => store.listSettled(params)),
      ...serve(previewPost, (params, { broker }) =>
        renderPreview(ownerServices(broker, LONG_TIMEOUT_MS), channelChecks, params, clock.now()),
      ),
      ...serve(diffPlan, (params, { broker, meta }) => {
        const ports = {
          ...queryPorts,
          owners: draftOwners(broker),
          guildName: (id: GuildId) => channelChecks.guildName(id),
        };
        return inTurn(() => diffPlanOf(ports, params, clock.now(), isOperator(meta.caller)));
      }),
      ...serve(previewDrafts, (params, { broker, meta }) =>
        inTurn(() =>
          renderDraftPreviews(draftOwners(broker), channelChecks, params, clock.now(), isOperator(meta.caller)),
        ),
      ),
    },
    async started(this: Service) {
      exportDispatchMetrics();
      await clock.sample();
      sampling = setInterval(() => void clock.sample().catch(() => {}), CLOCK_SAMPLE_MS);
      const ports = portsOf(this);
      dispatcher = newDispatcher(ports, { ...STANDARD_TIMING, graceMs, ...options.timing });
      notifier = newOccurrenceNotifier(
        this.broker,
        this.logger,
        { ...ports, store: withTimeouts(notifications, storeTimeoutMs) },
        { ...STANDARD_TIMING, ...options.timing },
        (operation, details) => ports.reports.operationFailed(operation, details),
      );
      stopGauges = startGauges(dispatcher, store, unreadChanges(this.broker), clock, sinks);
      // Planning needs the owners. Planned posts must not wait for them, so the wait is bounded.
      void this.broker
        .waitForServices([...FEEDS], MAX_OWNERS_WAIT_MS, 50)
        .catch(() => {})
        .finally(() => {
          dispatcher?.start();
          notifier?.start();
        });
      channelChecks.start(ports);
    },
    async stopped() {
      clearInterval(sampling);
      stopGauges();
      channelChecks.stop();
      await Promise.all([dispatcher?.stop(drainMs), notifier?.stop(drainMs)]);
      await Promise.all(sinks.map((sink) => sink.close()));
    },
  };
}

function storeTimeoutMs(operation: string): number {
  return operation === "commitPlan" ? COMMIT_TIMEOUT_MS : STORE_TIMEOUT_MS;
}

const processTimers: Timers = {
  after(ms, wake) {
    const timer = setTimeout(wake, Math.max(0, ms));
    return () => clearTimeout(timer);
  },
};
