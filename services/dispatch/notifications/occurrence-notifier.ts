import type { ServiceBroker } from "moleculer";
import { requestFields } from "../../../mixins/observability/request-fields.ts";
import { renderCancelled } from "../domain/message/edited-message.ts";
import { renderNotification } from "../domain/notification/notification-rule.ts";
import type { Post } from "../domain/post/post.ts";
import { type BroadcastChange, type Dispatcher, newDispatcher } from "../protocol/dispatcher.ts";
import type { Ports, Reports } from "../protocol/ports.ts";
import type { Timing } from "../protocol/timing.ts";
import { countNotification } from "./notification.metrics.ts";
import { notificationOwners } from "./notification-owners.ts";
import { notificationSink } from "./notification-sink.ts";
import { newSubscribedGuilds } from "./subscribed-guilds.ts";

const HOUR_MS = 3_600_000;
/** How late a notification is still sent (D59). */
const GRACE_MS = HOUR_MS;
/** Nearer than that of posts: notifications are planned for every occurrence. */
const HORIZON_MS = 6 * HOUR_MS;

/** Notifies the webhooks of a guild at the instants of its occurrences (D59). */
export interface OccurrenceNotifier extends Pick<Dispatcher, "start" | "stop"> {
  /** Something of the guild changed. Does nothing for a guild that is not known to have a webhook for occurrences. */
  onChange(hint: BroadcastChange): void;
  /** A webhook of the guild changed. */
  onWebhookChange(hint: BroadcastChange): void;
}

/** The parts of dispatch that do not depend on the ledger. */
type SharedPorts = Pick<Ports, "clock" | "timers" | "random" | "replicas" | "store">;

/**
 * Runs the protocol of dispatch a second time, on a ledger of its own: the rules are those of webhooks, and the only sink is
 * the service of webhooks. Replicas do not tell each other which changes are planned: those of rank 1 and more plan a change
 * again, which writes nothing.
 */
export function newOccurrenceNotifier(
  broker: ServiceBroker,
  logger: ServiceBroker["logger"],
  { replicas, ...ports }: SharedPorts,
  timing: Timing,
  operationFailed: Reports["operationFailed"],
): OccurrenceNotifier {
  const guilds = newSubscribedGuilds();
  const dispatcher = newDispatcher(
    {
      ...ports,
      replicas: replicas,
      owners: notificationOwners(broker, guilds),
      sinks: [notificationSink(broker)],
      render: renderNotification,
      // The message of a notification is never edited.
      renderCancelled,
      reports: {
        planned: () => undefined,
        settled: (post) => reportNotification(logger, post),
        waited: () => undefined,
        operationFailed: (operation, details) => operationFailed(`notifications: ${operation}`, details),
      },
    },
    { ...timing, graceMs: GRACE_MS, horizonMs: Math.min(HORIZON_MS, timing.horizonMs) },
  );
  return {
    start: () => dispatcher.start(),
    stop: (drainMs) => dispatcher.stop(drainMs),
    onChange(hint) {
      if (guilds.has(hint.guildId)) dispatcher.onChangeHint(hint);
    },
    onWebhookChange: (hint) => dispatcher.onChangeHint(hint),
  };
}

/** Writes a log line and counts a metric for each outcome. */
export function reportNotification(logger: Pick<ServiceBroker["logger"], "info" | "warn">, post: Post): void {
  const { id, guildId, occurrenceId, state, dueAt, lateMs, reason, changedBy } = post;
  countNotification(post);
  const isExpected = state === "sent" || state === "cancelled" || state === "skipped";
  logger[isExpected ? "info" : "warn"](
    { notification: id, guildId, occurrenceId, state, dueAt, lateMs, reason, ...requestFields(changedBy) },
    "notification settled",
  );
}
