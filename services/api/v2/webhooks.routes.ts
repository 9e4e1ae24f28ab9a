import { REASON_CODES } from "../../contracts/dispatch.contract.ts";
import {
  listMissedNotifications,
  MISSED_STATES,
  type MissedNotification,
} from "../../contracts/occurrence-notifications.contract.ts";
import {
  createWebhook,
  DELIVERY_STATES,
  type DeliveryView,
  getWebhook,
  type IssuedWebhookSecret,
  listWebhookDeliveries,
  listWebhooks,
  OCCURRENCE_TYPES,
  type Redelivered,
  redeliverWebhook,
  removeWebhook,
  rotateWebhook,
  updateWebhook,
  WEBHOOK_TYPES,
} from "../../contracts/webhooks.contract.ts";
import { route } from "../route.ts";
import { pageFields, pageResponseFields } from "../wire/list-pages.ts";
import { asInteger, field, guildField } from "../wire/request-fields.ts";
import {
  enumOf,
  EPOCH_MS,
  INTEGER,
  listOf,
  optional,
  responseFields,
  shown,
  statusMessage,
  STRING,
} from "../wire/response-fields.ts";
import { webhookFields } from "./webhooks.wire.ts";

const issuedFields = responseFields<IssuedWebhookSecret>({ id: shown("id", STRING), secret: shown("secret", STRING) });

const deliveryFields = responseFields<DeliveryView>({
  id: shown("id", STRING),
  type: shown("type", enumOf(WEBHOOK_TYPES)),
  recordId: shown("record_id", STRING),
  recordRevision: shown("record_revision", INTEGER),
  state: shown("state", enumOf(DELIVERY_STATES)),
  createdAt: shown("created", EPOCH_MS),
  attempts: shown("attempts", INTEGER),
  nextAttemptAt: optional(shown("next_attempt", EPOCH_MS)),
  responseStatus: optional(shown("response_status", INTEGER)),
  error: optional(shown("error", STRING)),
  settledAt: optional(shown("settled", EPOCH_MS)),
});

const missedFields = responseFields<MissedNotification>({
  type: shown("type", enumOf(OCCURRENCE_TYPES)),
  eventId: shown("event_id", STRING),
  occurredAt: shown("occurred_at", EPOCH_MS),
  state: shown("state", enumOf(MISSED_STATES)),
  settledAt: shown("settled", EPOCH_MS),
  reason: shown("reason", STRING),
  reasonCode: shown("reason_code", enumOf(REASON_CODES)),
});

const webhookReference = { guildId: guildField, id: field("id") };

const guild_id = "375357265198317579";
const id = "01989f3a-5c1e-7d2b-8a4f-6b7c8d9e0f10";
const secretOf = (letter: string) => `whsec_${letter.repeat(43)}=`;
const made = { url: "https://bot.example/guildcal", types: ["event.created", "event.updated", "event.deleted"] };

export const missedExample = {
  missed: [
    {
      type: "occurrence.started",
      event_id: "01989f3a-5c1e-4d2b-8a4f-6b7c8d9e0f11",
      occurred_at: 1_893_776_400_000,
      state: "missed",
      settled: 1_893_780_900_000,
      reason: "dispatch was not running from 2030-01-04T16:55:00.000Z to 2030-01-04T18:15:00.000Z",
      reason_code: "DISPATCH_DOWN",
    },
  ],
} as const;

export const webhookRoutes = [
  route({
    paths: ["/v2/webhooks/create"],
    contract: createWebhook,
    fields: { guildId: guildField, url: field("url"), types: field("types") },
    nulls: "absent",
    responseFields: [statusMessage("message", "Webhook created"), ...issuedFields],
    hasEtag: true,
    summary: "Creates a webhook, to which changes of the guild are sent; its secret is shown only in this response",
    example: {
      request: { guild_id, ...made },
      response: { message: "Webhook created", id, secret: secretOf("A") },
    },
  }),
  route({
    paths: ["/v2/webhooks/get"],
    contract: getWebhook,
    fields: webhookReference,
    responseFields: webhookFields,
    responseName: "Webhook",
    hasEtag: true,
    summary: "Returns a webhook, without its secret",
    example: {
      request: { guild_id, id },
      response: { id, ...made, enabled: true, created: 1_893_456_000_002 },
    },
  }),
  route({
    paths: ["/v2/webhooks/update"],
    contract: updateWebhook,
    fields: { ...webhookReference, url: field("url"), types: field("types"), enabled: field("enabled") },
    responseFields: [statusMessage("message", "Webhook updated")],
    hasEtag: true,
    summary: "Changes a webhook, switches it off, or switches it on again",
    example: {
      request: { guild_id, id, types: ["event.created", "announcement.missed"] },
      response: { message: "Webhook updated" },
    },
  }),
  route({
    paths: ["/v2/webhooks/list"],
    contract: listWebhooks,
    fields: { guildId: guildField },
    responseFields: [listOf("webhooks", webhookFields, "Webhook")],
    summary: "Lists the guild's webhooks, the earliest first, without their secrets",
    example: {
      request: { guild_id },
      response: {
        webhooks: [
          {
            id,
            url: made.url,
            types: ["event.created", "announcement.missed"],
            enabled: true,
            created: 1_893_456_000_002,
          },
        ],
      },
    },
  }),
  route({
    paths: ["/v2/webhooks/rotate"],
    contract: rotateWebhook,
    fields: { ...webhookReference, overlapHours: field("overlap_hours", asInteger) },
    responseFields: [
      statusMessage("message", "Webhook rotated"),
      ...issuedFields,
      ...responseFields<{ readonly previousUntil?: number }>({
        previousUntil: optional(shown("previous_until", EPOCH_MS)),
      }),
    ],
    summary: "Gives a webhook a new secret; requests are signed with both secrets for a time",
    example: {
      request: { guild_id, id, overlap_hours: 0 },
      response: { message: "Webhook rotated", id, secret: secretOf("B") },
    },
  }),
  route({
    paths: ["/v2/webhooks/deliveries"],
    contract: listWebhookDeliveries,
    fields: { ...webhookReference, state: field("state"), ...pageFields },
    responseFields: pageResponseFields("deliveries", deliveryFields, "WebhookDelivery"),
    summary: "Lists what was sent to a webhook and what is pending, the latest first, in pages",
    example: { request: { guild_id, id, state: "failed" }, response: { deliveries: [] } },
  }),
  route({
    paths: ["/v2/webhooks/redeliver"],
    contract: redeliverWebhook,
    fields: { ...webhookReference, deliveryId: field("delivery_id") },
    responseFields: [
      statusMessage("message", "Deliveries pending"),
      ...responseFields<Redelivered>({ amount: shown("amount", INTEGER) }),
    ],
    summary: "Sends a delivery again, with the same id and body, or all failed deliveries",
    example: {
      request: { guild_id, id },
      response: { message: "Deliveries pending", amount: 0 },
    },
  }),
  route({
    paths: ["/v2/webhooks/missed"],
    contract: listMissedNotifications,
    fields: { guildId: guildField, ...pageFields },
    responseFields: pageResponseFields("missed", missedFields, "MissedNotification"),
    summary:
      "Lists the starts and ends of occurrences that the guild's webhooks were not notified of, the latest first",
    example: { request: { guild_id }, response: missedExample },
  }),
  route({
    paths: ["/v2/webhooks/delete"],
    contract: removeWebhook,
    fields: webhookReference,
    responseFields: [statusMessage("message", "Webhook deleted")],
    summary: "Deletes a webhook with its deliveries; nothing more is sent to it",
    example: { request: { guild_id, id }, response: { message: "Webhook deleted" } },
  }),
];
