import { expect, test } from "@jest/globals";
import { secretBox } from "./secret-box.ts";
import { isAllowedUrl } from "../../mixins/http/target-guard.ts";
import { MAX_PENDING } from "./domain/delivery-queue.ts";
import { newWebhook } from "./domain/webhook.ts";
import { webhookManagement } from "./webhook-management.ts";
import type { GuildId } from "../contracts/ids.ts";

const guildId = "1" as GuildId;

test("a webhook with a forbidden address is neither created nor changed, and the error names the field", async () => {
  const notUsed = {} as never;
  const management = webhookManagement({
    webhooks: notUsed,
    deliveries: notUsed,
    secrets: secretBox("a key"),
    clock: { now: () => 0 },
    isAllowedUrl: (url) => isAllowedUrl(url, false),
  });
  const refused = { refusal: "INVALID_REQUEST", problems: [{ field: "url", code: "NOT_ALLOWED" }] };
  for (const url of ["http://bot.example/", "https://127.0.0.1/", "https://[::1]/", "https://169.254.169.254/meta"]) {
    expect(await management.create({ guildId, url, types: ["event.created"] })).toMatchObject(refused);
    expect(await management.update({ guildId, id: "w", url })).toMatchObject(refused);
  }
});

test("a rotation whose response from the database was lost says until when the former secret is valid", async () => {
  const stored = newWebhook(
    "w",
    { guildId, url: "https://bot.example/", types: ["event.created"] },
    { sealed: "s" },
    0,
  );
  let attempts = 0;
  const management = webhookManagement({
    webhooks: {
      find: async () => stored,
      replace: async () => {
        attempts += 1;
        return false;
      },
      revisionWritten: async () => (attempts === 0 ? undefined : 2),
    } as never,
    deliveries: {} as never,
    secrets: secretBox("a key"),
    clock: { now: () => 1_000 },
    isAllowedUrl: () => true,
  });
  await expect(management.rotate(guildId, "w", 500)).resolves.toMatchObject({ revision: 2, previousUntil: 1_500 });
});

test("a webhook is disabled only at the revision of the attempt, and says why it is not", async () => {
  const created = newWebhook(
    "w",
    { guildId, url: "https://bot.example/", types: ["event.created"] },
    { sealed: "s" },
    0,
  );
  let stored = created;
  const management = webhookManagement({
    webhooks: {
      find: async () => stored,
      replace: async (next: typeof stored) => {
        stored = next;
        return true;
      },
      revisionWritten: async () => undefined,
    } as never,
    deliveries: {} as never,
    secrets: secretBox("a key"),
    clock: { now: () => 1_000 },
    isAllowedUrl: () => true,
  });
  await management.update({ guildId, id: "w", url: "https://new.example/" });
  expect(await management.disable(created, "GONE")).toMatchObject({ refusal: "REVISION_MISMATCH" });
  expect(stored).toMatchObject({ enabled: true, revision: 2 });
  expect(await management.disable(stored, "GONE")).toMatchObject({ id: "w", revision: 3 });
  expect(stored).toMatchObject({ enabled: false, disabledReason: "GONE" });
  expect(await management.disable(stored, "GONE")).toMatchObject({ refusal: "WEBHOOK_DISABLED" });
});

test("a private address is accepted where private addresses are allowed, and http to a public one never", () => {
  const urls = ["http://127.0.0.1/", "https://bot.example/", "https://1.1.1.1/", "http://1.1.1.1/"];
  expect(urls.map((url) => isAllowedUrl(url, true))).toEqual([true, true, true, false]);
});

test("a delivery is not sent again while as many as may be are pending, and a pending one is sent at once", async () => {
  const stored = newWebhook(
    "w",
    { guildId, url: "https://bot.example/", types: ["event.created"] },
    { sealed: "s" },
    0,
  );
  let pending = MAX_PENDING;
  const sentAgain: string[] = [];
  const management = webhookManagement({
    webhooks: { find: async () => stored, wake: async () => undefined } as never,
    deliveries: {
      countPending: async () => pending,
      find: async (_: object, id: string) => ({ id, state: id === "p" ? "pending" : "failed" }),
      sendAgain: async (_: object, id: string) => void sentAgain.push(id),
    } as never,
    secrets: secretBox("a key"),
    clock: { now: () => 1_000 },
    isAllowedUrl: () => true,
  });
  expect(await management.redeliver(guildId, "w", "f")).toMatchObject({ refusal: "TOO_MANY_DELIVERIES" });
  expect(await management.redeliver(guildId, "w", "p")).toEqual({ amount: 1 });
  pending -= 1;
  expect(await management.redeliver(guildId, "w", "f")).toEqual({ amount: 1 });
  expect(sentAgain).toEqual(["p", "f"]);
});
