import { DISABLED_REASONS, WEBHOOK_TYPES, type WebhookView } from "../../contracts/webhooks.contract.ts";
import { NO_FIELD } from "../wire/no-field.ts";
import { BOOLEAN, enumOf, EPOCH_MS, optional, responseFields, shown, STRING } from "../wire/response-fields.ts";

/** A webhook of a guild (D53). */
export const webhookFields = responseFields<WebhookView>({
  guildId: NO_FIELD,
  id: shown("id", STRING),
  url: shown("url", STRING),
  types: shown("types", { type: "array", items: enumOf(WEBHOOK_TYPES) }),
  enabled: shown("enabled", BOOLEAN),
  disabledReason: optional(shown("disabled_reason", enumOf(DISABLED_REASONS))),
  disabledAt: optional(shown("disabled", EPOCH_MS)),
  createdAt: shown("created", EPOCH_MS),
  previousUntil: optional(shown("previous_until", EPOCH_MS)),
  revision: NO_FIELD,
});
