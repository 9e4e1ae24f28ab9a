import type { Service } from "moleculer";
import { asRefusal } from "../../mixins/actions/contract-action.ts";
import { broadcast, callAction } from "../../mixins/actions/typed-calls.ts";
import { isRefusal } from "../contracts/errors.ts";
import { readEncodedChanges } from "../contracts/guild-changes.contract.ts";
import { webhookChanged } from "../contracts/webhooks.contract.ts";
import type { QueuePorts } from "./protocol/ports.ts";
import type { RequestSender } from "./send-request.ts";
import type { WebhookManagement } from "./webhook-management.ts";
import { countAttempt, countDisabled, countError } from "./webhooks.metrics.ts";

/** Time for a page of changes. */
const READ_MS = 5_000;

type Parts = Pick<QueuePorts, "webhooks" | "deliveries" | "secrets" | "clock"> & {
  readonly management: Pick<WebhookManagement, "disable">;
  readonly sender: Pick<RequestSender, "send">;
};

/** The ports of the protocol to the bus, the receivers, logs and metrics. */
export function queuePorts(
  { broker, logger }: Pick<Service, "broker" | "logger">,
  { management, sender, ...parts }: Parts,
): QueuePorts {
  return {
    ...parts,
    random: Math.random,
    send: (request) => sender.send(request),

    readChanges: (params) =>
      callAction(broker, readEncodedChanges, params, { timeout: READ_MS }).catch((error: unknown) => {
        const refusal = asRefusal(error);
        if (refusal === undefined || !POSITION_REFUSALS.has(refusal.refusal)) throw error;
        return refusal;
      }),

    async disable(attempted, reason) {
      const disabled = await management.disable(attempted, reason);
      if (isRefusal(disabled)) return disabled;
      countDisabled(reason);
      const { guildId, id, revision } = disabled;
      logger.warn({ guildId, webhook: id, reason }, "webhook disabled");
      broadcast(broker, webhookChanged, { guildId, id, revision });
      return undefined;
    },

    reports: {
      attempted: countAttempt,
      failed(operation, { error, ...details }) {
        countError(operation);
        logger.warn(
          { operation, ...details, ...(error === undefined ? {} : { err: error }) },
          "webhooks operation failed",
        );
      },
    },
  };
}

/** The refusals by which the gateway says that it does not know a position: it is too old, or of another form. */
const POSITION_REFUSALS: ReadonlySet<string> = new Set(["SYNC_TOKEN_EXPIRED", "INVALID_REQUEST"]);
