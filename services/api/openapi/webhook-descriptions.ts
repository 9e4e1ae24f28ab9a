/** Descriptions of the fields of webhooks (field-descriptions.ts). */
export const WEBHOOK_DESCRIPTIONS: Readonly<Record<string, string>> = {
  webhooks: "The webhooks of the guild, the earliest first.",
  types: "The types of changes that the webhook reports.",
  "Webhook.id": "Id of the webhook, a UUID.",
  "Webhook.url": "Address of the requests.",
  "Webhook.enabled": "Whether requests are sent.",
  disabled_reason:
    "Why nothing is sent. REQUESTED: by an update; RETRIES_EXHAUSTED: a delivery failed for three days; GONE: the receiver returned 410; SECRET_UNREADABLE: rotate the secret, then enable the webhook.",
  disabled: "Instant since which nothing is sent, in Unix milliseconds (UTC).",
  "Webhook.previous_until":
    "Instant until which requests are also signed with the previous secret, in Unix milliseconds (UTC).",
  secret: "The secret of the signatures, `whsec_` and base64. It is shown only in this response.",
  "V2WebhooksCreateRequest.url":
    "Address of the requests: https, at most 1024 characters, without user name and fragment. Names are resolved to public addresses only.",
  "V2WebhooksUpdateRequest.url": "New address of the requests, with the same rules.",
  "V2WebhooksCreateResponse.id": "Id of the new webhook.",
  ...describedIn(["Get", "Update", "Delete", "Rotate", "Deliveries", "Redeliver"], "Request.id", "Id of the webhook."),
  "V2WebhooksRotateResponse.id": "Id of the webhook.",
  "V2WebhooksRotateResponse.previous_until":
    "Instant until which requests are also signed with the previous secret, in Unix milliseconds (UTC).",
  "V2WebhooksRotateRequest.overlap_hours":
    "Hours for which requests are also signed with the previous secret; 0 ends it at once.",
  "V2WebhooksUpdateRequest.enabled":
    "False switches the webhook off. True switches it on again: pending deliveries and later changes are sent.",
  "V2WebhooksDeliveriesRequest.state": "State of the deliveries; all states when absent.",
  "V2WebhooksDeliveriesRequest.limit": "Largest number of entries of the page, 1 to 1000.",
  "V2WebhooksDeliveriesResponse.next": "Cursor of the next page, to be sent as `cursor`; absent on the last page.",
  deliveries: "The deliveries of the last 30 days, the latest first; at most about 1000 settled ones.",
  "WebhookDelivery.id": "The `webhook-id` of every attempt.",
  "WebhookDelivery.type": "The type of the reported change.",
  record_id: "Id of the record.",
  record_revision: "Number of writes of the record, from 1.",
  "WebhookDelivery.state":
    "pending: it will be sent; delivered: a response had a status 200 to 299; failed: the last attempt failed.",
  "WebhookDelivery.attempts": "Number of attempts that have ended.",
  next_attempt:
    "Instant of the next attempt, in Unix milliseconds (UTC); later while an earlier delivery of the same record is pending.",
  response_status: "Status of the last response; absent if there was none.",
  error: "Why the last attempt failed.",
  "WebhookDelivery.settled": "Instant of the response, or of the last attempt, in Unix milliseconds (UTC).",
  "V2WebhooksMissedRequest.limit": "Largest number of entries of the page, 1 to 1000.",
  "V2WebhooksMissedResponse.next": "Cursor of the next page, to be sent as `cursor`; absent on the last page.",
  missed: "The starts and ends of the last 30 days that the webhooks were not notified of, the latest outcome first.",
  "MissedNotification.type": "The type of the notification.",
  "MissedNotification.event_id": "Id of the occurrence; for a single event, that of the event.",
  occurred_at: "Instant of the start or the end, in Unix milliseconds (UTC).",
  "MissedNotification.state":
    "missed: it was not possible within an hour; failed: it was given up, because it was refused or two processes ended while they stored it; unknown: nothing proves that it was stored, so a webhook may have got it.",
  "MissedNotification.reason":
    "Why, in the words for posts: a post is a notification, its announcement is the type. An entry may stand for several notifications and says so then.",
  "MissedNotification.reason_code": "Kind of the reason, for programs.",
  delivery_id: "Id of the delivery; all failed deliveries when absent.",
  "V2WebhooksRedeliverResponse.amount": "Number of deliveries that became pending.",
};

/** One description for a field of several endpoints of webhooks. */
function describedIn(endpoints: readonly string[], field: string, text: string): Record<string, string> {
  return Object.fromEntries(endpoints.map((endpoint) => [`V2Webhooks${endpoint}${field}`, text]));
}
