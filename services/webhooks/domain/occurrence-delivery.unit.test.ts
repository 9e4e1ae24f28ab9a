import { describe, expect, test } from "@jest/globals";
import type { EventId, GuildId, OccurrenceId } from "../../contracts/ids.ts";
import type { OccurrenceNotification } from "../../contracts/occurrence-notifications.contract.ts";
import type { OccurrenceType, WebhookType } from "../../contracts/webhooks.contract.ts";
import { type PendingDelivery, sendable } from "./delivery.ts";
import { earliestSince, isNotifiedOf } from "./notified-since.ts";
import { inOrderOfInstants, notificationBody } from "./occurrence-delivery.ts";
import { changeWebhook, disableWebhook, newWebhook, type Webhook, webhookView } from "./webhook.ts";

const NOW = 1_795_287_600_000;
const guildId = "375357265198317579" as GuildId;
const STARTED = "occurrence.started";
const ENDED = "occurrence.ended";

function webhookWith(types: readonly WebhookType[], at = NOW): Webhook {
  return newWebhook("w", { guildId, url: "https://bot.example/", types }, { sealed: "secret" }, at);
}

function change(webhook: Webhook, changes: object, at: number): Webhook {
  return changeWebhook(webhook, { guildId, id: "w", ...changes }, at);
}

function notification(type: OccurrenceType, occurredAt: number, recurs = false): OccurrenceNotification {
  const eventId = "e1" as EventId;
  const occurrenceId = (recurs ? "e1_20261125T160000Z" : "e1") as OccurrenceId;
  const times = { startsAt: occurredAt, endsAt: occurredAt };
  const occurrence = { occurrenceId, eventId, calendarNumber: 1, ...times, color: "NONE", recurs } as const;
  return { guildId, type, key: "k".repeat(24), occurredAt, occurrence };
}

const notified = (webhook: Webhook, type: OccurrenceType, at: number) => isNotifiedOf(webhook, notification(type, at));

describe("a webhook is notified of occurrences (D59)", () => {
  test("from the time at which it has the type, and not before", () => {
    const webhook = webhookWith(["event.created", STARTED]);
    expect([notified(webhook, STARTED, NOW), notified(webhook, STARTED, NOW - 1)]).toEqual([true, false]);
    expect(notified(webhook, ENDED, NOW)).toBe(false);
    const both = change(webhook, { types: [STARTED, ENDED] }, NOW + 10);
    expect([notified(both, STARTED, NOW), notified(both, ENDED, NOW + 9)]).toEqual([true, false]);
    expect(notified(both, ENDED, NOW + 10)).toBe(true);
    expect(webhookView(both, NOW)).not.toHaveProperty("notifiedSince");
  });

  test("not of what starts while it is disabled, nor of that after it is enabled again", () => {
    const webhook = webhookWith([STARTED]);
    const disabled = change(webhook, { enabled: false }, NOW + 5);
    expect(notified(disabled, STARTED, NOW + 6)).toBe(false);
    const ended = disableWebhook(webhook, "GONE", NOW + 5)!;
    for (const each of [disabled, ended]) {
      const enabled = change(each, { enabled: true }, NOW + 9);
      expect([notified(enabled, STARTED, NOW + 8), notified(enabled, STARTED, NOW + 9)]).toEqual([false, true]);
    }
  });

  test("and its guild from the earliest time of any of its webhooks", () => {
    const [first, second] = [webhookWith([STARTED], NOW + 3), webhookWith([STARTED, ENDED], NOW + 1)];
    const disabled = change(webhookWith([STARTED], NOW), { enabled: false }, NOW);
    expect(earliestSince([first, second, disabled])).toEqual({ [STARTED]: NOW + 1, [ENDED]: NOW + 1 });
    expect(earliestSince([disabled])).toEqual({});
  });
});

describe("the deliveries of notifications", () => {
  test("are in the order of their instants, and the start of an event without a length comes before its end", () => {
    const [end, start, earlier] = [notification(ENDED, 5), notification(STARTED, 5), notification(ENDED, 4)];
    expect(inOrderOfInstants([end, start, earlier])).toEqual([earlier, start, end]);
  });

  test("wait for earlier deliveries about their event, and for those about the same occurrence", () => {
    const pending = (seq: number, record: string, more: object = {}): PendingDelivery => {
      return { id: `w.${seq}`, seq, record, attempts: 0, ...more };
    };
    const all = [
      pending(1, "event/e1"),
      pending(2, "occurrence/e1", { after: "event/e1" }),
      pending(3, "occurrence/e2", { after: "event/e2" }),
      pending(4, "occurrence/e2", { after: "event/e2" }),
      pending(5, "event/e2"),
    ];
    expect(sendable(all).map(({ seq }) => seq)).toEqual([1, 3, 5]);
    expect(sendable(all.slice(1)).map(({ seq }) => seq)).toEqual([2, 3, 5]);
  });

  test("have the ids, the instant, the times and the occurrence", () => {
    const body = notificationBody("w", notification(STARTED, NOW, true), '{"event_id":"e1_20261125T160000Z"}');
    expect(JSON.parse(body)).toEqual({
      type: STARTED,
      timestamp: new Date(NOW).toISOString(),
      data: {
        webhook_id: "w",
        guild_id: guildId,
        id: "e1_20261125T160000Z",
        series_id: "e1",
        occurred_at: NOW,
        epoch_start: NOW,
        epoch_end: NOW,
        occurrence: { event_id: "e1_20261125T160000Z" },
      },
    });
    expect(notificationBody("w", notification(ENDED, NOW), "{}")).not.toContain("series_id");
  });
});
