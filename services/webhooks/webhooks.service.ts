import type { Service, ServiceSchema } from "moleculer";
import { healthMixin } from "../../mixins/actions/health.mixin.ts";
import { type CallContext, serve } from "../../mixins/actions/contract-action.ts";
import { listen } from "../../mixins/actions/contract-event.ts";
import { broadcast, callAction } from "../../mixins/actions/typed-calls.ts";
import type { PrivateNetworks } from "../../mixins/http/private-networks.ts";
import { isAllowedUrl, type ResolveAll } from "../../mixins/http/target-guard.ts";
import { newDatabaseClock } from "../../mixins/mongo/database-clock.ts";
import {
  closedConnection,
  DATABASE_PING_TIMEOUT_MS,
  databaseMixin,
  databaseTime,
} from "../../mixins/mongo/database.mixin.ts";
import { inTransaction } from "../../mixins/mongo/transaction.ts";
import { announcementChanged } from "../contracts/announcements.contract.ts";
import { calendarEventChanged } from "../contracts/calendar-events.contract.ts";
import { calendarChanged } from "../contracts/calendars.contract.ts";
import { announcementFailed, announcementMissed, announcementPosted } from "../contracts/post-outcomes.contract.ts";
import { isRefusal, type Refusal } from "../contracts/errors.ts";
import { listChangedWebhooks } from "../contracts/guild-changes.contract.ts";
import { guildSettingsChanged } from "../contracts/guild-settings.contract.ts";
import type { GuildId } from "../contracts/ids.ts";
import {
  deliverOccurrence,
  encodeOccurrences,
  listOccurrenceSubscriptions,
  webhooksChangesSince,
} from "../contracts/occurrence-notifications.contract.ts";
import {
  createWebhook,
  DEFAULT_SECRET_OVERLAP_HOURS,
  getWebhook,
  listWebhookDeliveries,
  listWebhooks,
  OCCURRENCE_TYPES,
  redeliverWebhook,
  removeWebhook,
  rotateWebhook,
  updateWebhook,
  type WebhookChanged,
  webhookChanged,
} from "../contracts/webhooks.contract.ts";
import { earliestSince } from "./domain/notified-since.ts";
import { queuePorts } from "./queue-ports.ts";
import { ChangeHints } from "./protocol/change-hints.ts";
import { type QueueScheduler, newQueueScheduler } from "./protocol/queue-scheduler.ts";
import { newNotificationStore } from "./protocol/store-notifications.ts";
import { secretBox } from "./secret-box.ts";
import { requestSender } from "./send-request.ts";
import { deliveriesStore } from "./store/deliveries.store.ts";
import { webhooksStore } from "./store/webhooks.store.ts";
import { webhookManagement } from "./webhook-management.ts";
import { exportWebhookMetrics, startOverdueGauge } from "./webhooks.metrics.ts";

export interface WebhooksOptions {
  readonly mongoUrl: string;
  /** Encrypts the secrets of webhooks. */
  readonly key: string;
  /** The private, loopback and link-local addresses that webhooks may have. */
  readonly allowPrivate: PrivateNetworks;
  /** Replaces the system's resolver. */
  readonly resolve?: ResolveAll;
}

const CLOCK_SAMPLE_MS = 5_000;

/** The webhooks service; see README.md beside this file. */
export function webhooksService({ mongoUrl, key, allowPrivate, resolve }: WebhooksOptions): ServiceSchema {
  const connection = closedConnection();
  const webhooks = webhooksStore(connection);
  const deliveries = deliveriesStore(connection);
  const secrets = secretBox(key);
  const clock = newDatabaseClock(
    () => databaseTime(connection, DATABASE_PING_TIMEOUT_MS),
    () => performance.now(),
  );
  const management = webhookManagement({
    webhooks,
    deliveries,
    secrets,
    clock,
    isAllowedUrl: (url) => isAllowedUrl(url, allowPrivate),
  });
  const sender = requestSender({ allowPrivate, ...(resolve === undefined ? {} : { resolve }) });
  let scheduler: QueueScheduler | undefined;
  let storeNotification: ReturnType<typeof newNotificationStore>;
  let hints: ChangeHints | undefined;
  let sampling: NodeJS.Timeout | undefined;
  let stopGauge = () => {};

  const onChange = ({ guildId }: { readonly guildId: GuildId }) => hints?.add(guildId);

  /** Broadcasts a stored webhook, and looks for its queue. */
  function announce<Result extends WebhookChanged>(
    context: CallContext<unknown>,
    stored: Result | Refusal,
  ): Result | Refusal {
    if (isRefusal(stored)) return stored;
    const { guildId, id, revision } = stored;
    broadcast(context, webhookChanged, { guildId, id, revision });
    scheduler?.poll();
    return stored;
  }

  return {
    name: "webhooks",
    mixins: [databaseMixin(connection, mongoUrl, "webhooks"), healthMixin("webhooks", connection)],
    events: {
      ...listen(announcementChanged, onChange),
      ...listen(announcementFailed, onChange),
      ...listen(announcementMissed, onChange),
      ...listen(announcementPosted, onChange),
      ...listen(calendarChanged, onChange),
      ...listen(calendarEventChanged, onChange),
      ...listen(guildSettingsChanged, onChange),
    },
    actions: {
      ...serve(createWebhook, async (params, context) => {
        const created = announce(context, await management.create(params));
        if (isRefusal(created)) return created;
        const { id, secret, revision } = created;
        return { id, secret, revision };
      }),

      ...serve(getWebhook, ({ guildId, id }) => management.get(guildId, id)),

      ...serve(listWebhooks, ({ guildId }) => management.list(guildId)),

      ...serve(updateWebhook, async (params, context) => {
        const updated = announce(context, await management.update(params));
        return isRefusal(updated) ? updated : { revision: updated.revision };
      }),

      ...serve(removeWebhook, async (params, context) => {
        const removed = announce(context, await management.remove(params));
        return isRefusal(removed) ? removed : undefined;
      }),

      ...serve(rotateWebhook, async ({ guildId, id, overlapHours = DEFAULT_SECRET_OVERLAP_HOURS }, context) => {
        const rotated = announce(context, await management.rotate(guildId, id, overlapHours * HOUR_MS));
        if (isRefusal(rotated)) return rotated;
        const { secret, previousUntil } = rotated;
        return { id, secret, ...(previousUntil === undefined ? {} : { previousUntil }) };
      }),

      ...serve(listWebhookDeliveries, (params) => management.listDeliveries(params)),

      ...serve(redeliverWebhook, async ({ guildId, id, deliveryId }) => {
        const redelivered = await management.redeliver(guildId, id, deliveryId);
        scheduler?.poll();
        return redelivered;
      }),

      ...serve(listChangedWebhooks, (params) => webhooks.listChanged(params, clock.now())),

      ...serve(webhooksChangesSince, (params) => webhooks.changesSince(params)),

      ...serve(listOccurrenceSubscriptions, async ({ guildIds }) => {
        const subscribed = await webhooks.listWithTypes(guildIds, OCCURRENCE_TYPES);
        const byGuild = Map.groupBy(subscribed, ({ guildId }) => guildId);
        return [...byGuild].map(([guildId, ofGuild]) => ({ guildId, since: earliestSince(ofGuild) }));
      }),

      ...serve(deliverOccurrence, async (notification) => {
        const stored = await storeNotification(notification);
        if (stored.amount > 0) scheduler?.poll();
        return stored;
      }),
    },
    async started(this: Service) {
      exportWebhookMetrics();
      await clock.sample();
      sampling = setInterval(() => void clock.sample().catch(() => undefined), CLOCK_SAMPLE_MS);
      storeNotification = newNotificationStore({
        clock,
        webhooks,
        deliveries,
        encode: (occurrences) => callAction(this.broker, encodeOccurrences, { occurrences }, { timeout: ENCODE_MS }),
        inTransaction: (work) => inTransaction(connection, work),
      });
      const ports = queuePorts(this, { webhooks, deliveries, secrets, clock, management, sender });
      const queues = newQueueScheduler(ports);
      scheduler = queues;
      hints = new ChangeHints(async (guildIds) => {
        await webhooks
          .wakeGuilds(guildIds, clock.now())
          .catch((error: unknown) => ports.reports.failed("wake queues", { error }));
        queues.poll();
      });
      stopGauge = startOverdueGauge(webhooks, clock);
      queues.start();
    },
    async stopped() {
      clearInterval(sampling);
      stopGauge();
      hints?.stop();
      await scheduler?.stop();
      sender.close();
    },
  };
}

const HOUR_MS = 3_600_000;
/** Dispatch waits five seconds for a notification to be stored, and repeats it. */
const ENCODE_MS = 1_000;
