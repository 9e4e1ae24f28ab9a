import { asRefusal } from "../../../mixins/actions/contract-action.ts";
import { type ActionCaller, callAction } from "../../../mixins/actions/typed-calls.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { deliverOccurrence } from "../../contracts/occurrence-notifications.contract.ts";
import { notificationContent } from "../domain/notification/notification-rule.ts";
import { NOTIFICATION_SINK } from "../domain/post/sink-name.ts";
import type { SendOutcome, Sink } from "../sinks/sink.ts";

/**
 * Hands notifications to the service of webhooks, which stores their deliveries. It recognizes the nonce for as long as it stores
 * the delivery, so a call whose response was lost is repeated until the deadline.
 */
export function notificationSink(broker: ActionCaller): Sink {
  return {
    name: NOTIFICATION_SINK,
    nonceWindowMs: Infinity,
    async send({ guildId, nonce, message }, timeoutMs): Promise<SendOutcome> {
      const notification = { guildId: guildId as GuildId, key: nonce, ...notificationContent(message) };
      try {
        await callAction(broker, deliverOccurrence, notification, { timeout: timeoutMs });
        return { kind: "sent", messageId: nonce };
      } catch (error) {
        const refusal = asRefusal(error);
        if (refusal?.refusal === "INVALID_REQUEST") {
          return { kind: "rejected", scope: "payload", reason: `webhooks refused it: ${refusal.refusal}` };
        }
        const reason = error instanceof Error ? error.message : String(error);
        return { kind: "retry", reason: `webhooks did not store it: ${reason}`, afterMs: 0 };
      }
    },
    close: () => Promise.resolve(),
  };
}
