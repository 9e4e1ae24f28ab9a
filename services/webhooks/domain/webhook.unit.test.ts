import { describe, expect, test } from "@jest/globals";
import { isRefusal } from "../../contracts/errors.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { type PendingDelivery, sendable } from "./delivery.ts";
import {
  changeWebhook,
  disableWebhook,
  newWebhook,
  rotateSecret,
  secretsInUse,
  type Webhook,
  webhookView,
} from "./webhook.ts";

const NOW = 1_795_287_600_000;
const HOUR = 3_600_000;
const guildId = "1" as GuildId;
const params = { guildId, url: "https://bot.example/", types: ["event.created", "event.created"] } as const;
const webhook = newWebhook("w", params, { sealed: "first" }, NOW);
const sealed = (each: Webhook, now: number) => secretsInUse(each, now).map((secret) => secret.sealed);

describe("a webhook", () => {
  test("is new, enabled, and has each type once", () => {
    expect(webhook).toMatchObject({ types: ["event.created"], enabled: true, revision: 1, createdAt: NOW });
    expect(webhookView(webhook, NOW)).not.toHaveProperty("secrets");
  });

  test("that is disabled has the reason and the time, until it is enabled again", () => {
    const disabled = disableWebhook(webhook, "GONE", NOW + 5)!;
    expect(disabled).toMatchObject({ enabled: false, disabledReason: "GONE", disabledAt: NOW + 5, revision: 2 });
    expect(disableWebhook(disabled, "RETRIES_EXHAUSTED", NOW + 6)).toBeUndefined();
    const moved = changeWebhook(disabled, { guildId, id: "w", url: "https://other.example/" }, NOW + 7);
    expect(moved).toMatchObject({ enabled: false, disabledReason: "GONE", url: "https://other.example/" });
    const enabled = changeWebhook(disabled, { guildId, id: "w", enabled: true }, NOW + 7);
    expect(enabled).toEqual({ ...webhook, revision: 3 });
    expect(changeWebhook(webhook, { guildId, id: "w", enabled: false }, NOW)).toMatchObject({
      disabledReason: "REQUESTED",
    });
  });

  test("has two secrets during a rotation, which cannot begin again before its end", () => {
    const rotated = rotateSecret(webhook, { sealed: "second" }, HOUR, NOW) as Webhook;
    expect([sealed(rotated, NOW + HOUR - 1), sealed(rotated, NOW + HOUR)]).toEqual([["second", "first"], ["second"]]);
    expect(webhookView(rotated, NOW).previousUntil).toBe(NOW + HOUR);
    expect(webhookView(rotated, NOW + HOUR)).not.toHaveProperty("previousUntil");
    const again = rotateSecret(rotated, { sealed: "third" }, HOUR, NOW + 1);
    expect(isRefusal(again) && again.refusal).toBe("WEBHOOK_ROTATING");
    expect(sealed(rotateSecret(rotated, { sealed: "third" }, 0, NOW + 1) as Webhook, NOW + 1)).toEqual(["third"]);
    expect(sealed(rotateSecret(rotated, { sealed: "third" }, HOUR, NOW + HOUR) as Webhook, NOW + HOUR)).toEqual([
      "third",
      "second",
    ]);
  });
});

test("of the pending deliveries the first of each record may be sent, and every one that was requested again", () => {
  const pending = (seq: number, record: string, more: object = {}): PendingDelivery => {
    return { id: `w.${seq}`, seq, record, attempts: 0, ...more };
  };
  const all = [
    pending(4, "event/b"),
    pending(2, "event/a"),
    pending(3, "event/a"),
    pending(1, "event/b", { isRedelivery: true }),
    pending(5, "event/b"),
  ];
  expect(sendable(all).map(({ seq }) => seq)).toEqual([1, 2, 4]);
});
