import { randomUUID } from "node:crypto";
import type { Service, ServiceSchema } from "moleculer";
import { serve } from "../../mixins/actions/contract-action.ts";
import { listen } from "../../mixins/actions/contract-event.ts";
import { closedConnection, databaseMixin, databaseTime } from "../../mixins/mongo/database.mixin.ts";
import { healthMixin } from "../../mixins/actions/health.mixin.ts";
import { announcementChanged } from "../contracts/announcements.contract.ts";
import { calendarEventChanged } from "../contracts/calendar-events.contract.ts";
import { calendarChanged } from "../contracts/calendars.contract.ts";
import { listPostHistory, listUpcomingPosts, previewPost } from "../contracts/dispatch.contract.ts";
import { guildSettingsChanged } from "../contracts/guild-settings.contract.ts";
import type { GuildId } from "../contracts/ids.ts";
import { withTimeouts } from "../../mixins/async/timeout.ts";
import { newDatabaseClock } from "../../mixins/mongo/database-clock.ts";
import { newChannelChecks } from "./channel-checks/channel-checks.ts";
import { channelChecksStore } from "./channel-checks/channel-checks.store.ts";
import { countingPlans, exportDispatchMetrics, showHoldings, timed } from "./dispatch.metrics.ts";
import { tracer } from "../../mixins/observability/tracer.ts";
import { renderAnnouncement } from "./domain/message/announcement-message.ts";
import { notPlannedOf } from "./queries/not-planned.ts";
import { historyOf } from "./queries/history.ts";
import { withKnownChannels } from "./channel-checks/known-channels.ts";
import { knownReplicas } from "./adapters/known-replicas.ts";
import { outcomeReports } from "./adapters/outcome-reports.ts";
import { LONG_MS, ownersOnTheBus } from "./adapters/owner-services.ts";
import { postsStore } from "./store/posts.store.ts";
import { previewOf } from "./queries/preview.ts";
import { type Dispatcher, newDispatcher } from "./protocol/dispatcher.ts";
import { FEEDS, type Ports, type Timers } from "./protocol/ports.ts";
import { STANDARD_TIMING, type Timing } from "./protocol/timing.ts";
import type { Sink } from "./sinks/sink.ts";
import { tracedSink } from "./sinks/sink-tracing.ts";

export interface DispatchOptions {
  readonly mongoUrl: string;
  /** Where posts go; closed when the service stops. */
  readonly sinks: readonly Sink[];
  /** How late an announcement may be posted (D30). */
  readonly graceMs: number;
  /** How long a stopping service waits for what it is sending. */
  readonly drainMs?: number;
  /** Other times than the standard ones. */
  readonly timing?: Partial<Timing>;
}

const STORE_ANSWERS_MS = 5_000;
/** The first plan of a large guild is a large transaction. */
const PLAN_STORED_MS = 30_000;
const CLOCK_SAMPLE_MS = 5_000;
const DRAIN_MS = 8_000;
const OWNERS_AWAITED_MS = 5_000;

/** The dispatch service; see README.md beside this file. */
export function dispatchService(options: DispatchOptions): ServiceSchema {
  const { mongoUrl, sinks, graceMs, drainMs = DRAIN_MS } = options;
  const connection = closedConnection();
  const store = countingPlans(postsStore(connection));
  const clock = newDatabaseClock(
    () => databaseTime(connection, STORE_ANSWERS_MS),
    () => performance.now(),
  );
  const checks = channelChecksStore(connection);
  const channels = newChannelChecks({ checks, store, sinks, clock });
  let dispatcher: Dispatcher | undefined;
  let sampling: NodeJS.Timeout | undefined;
  let hideHoldings = () => {};

  function portsOf({ broker, logger }: Service): Ports {
    return {
      clock,
      timers: processTimers,
      random: { fraction: Math.random, id: randomUUID },
      store: withTimeouts(store, (name) => (name === "commitPlan" ? PLAN_STORED_MS : STORE_ANSWERS_MS)),
      owners: ownersOnTheBus(broker),
      replicas: knownReplicas(broker),
      sinks: sinks.map((sink) => tracedSink(timed(withKnownChannels(sink, checks, () => clock.now())), tracer())),
      render: renderAnnouncement,
      reports: { ...outcomeReports(broker, logger), planned: (posts) => channels.planned(posts) },
    };
  }

  const hint = ({ guildId }: { readonly guildId: GuildId }) => dispatcher?.hint(guildId);
  return {
    name: "dispatch",
    mixins: [databaseMixin(connection, mongoUrl, "dispatch"), healthMixin("dispatch", connection)],
    events: {
      ...listen(announcementChanged, hint),
      ...listen(calendarChanged, hint),
      ...listen(calendarEventChanged, hint),
      ...listen(guildSettingsChanged, hint),
    },
    actions: {
      ...serve(listUpcomingPosts, async ({ guildId, amount }) => {
        const [posts, plan] = await Promise.all([store.listUpcoming(guildId, amount), store.guildPlan(guildId)]);
        const notPlanned = notPlannedOf(plan);
        const withProblems = await channels.withProblems(guildId, posts);
        return notPlanned === undefined ? { posts: withProblems } : { posts: withProblems, notPlanned };
      }),
      ...serve(listPostHistory, (params) => historyOf(store, params)),
      ...serve(previewPost, (params, { broker }) =>
        previewOf(ownersOnTheBus(broker, LONG_MS), channels, params, clock.now()),
      ),
    },
    async started(this: Service) {
      exportDispatchMetrics();
      await clock.sample();
      sampling = setInterval(() => void clock.sample().catch(() => {}), CLOCK_SAMPLE_MS);
      const ports = portsOf(this);
      dispatcher = newDispatcher(ports, { ...STANDARD_TIMING, graceMs, ...options.timing });
      hideHoldings = showHoldings(dispatcher, store, clock, sinks);
      // Without the owners there is nothing to plan from; what is planned is not held up by them for long.
      void this.broker
        .waitForServices([...FEEDS], OWNERS_AWAITED_MS, 50)
        .catch(() => {})
        .then(() => dispatcher?.start());
      channels.start(ports);
    },
    async stopped() {
      clearInterval(sampling);
      hideHoldings();
      channels.stop();
      await dispatcher?.stop(drainMs);
      await Promise.all(sinks.map((sink) => sink.close()));
    },
  };
}

const processTimers: Timers = {
  after(ms, wake) {
    const timer = setTimeout(wake, ms);
    return () => clearTimeout(timer);
  },
};
