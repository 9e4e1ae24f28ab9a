import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { emptyDatabase } from "../../../test/harness/test-services.ts";
import { closedConnection } from "../../../mixins/mongo/database.mixin.ts";
import { DeadlinePassed, runInWriteContext } from "../../../mixins/mongo/write-context.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { numbered } from "../domain/delivery.ts";
import { deliveriesStore } from "./deliveries.store.ts";

const NOW = 1_764_000_000_000;
const WEBHOOK = { guildId: "1" as GuildId, id: "w1" };

describe("a change of deliveries by a guild", () => {
  const connection = closedConnection();
  const store = deliveriesStore(connection);
  const rows = connection.collection("webhook_deliveries");

  beforeAll(() => connection.openUri(emptyDatabase()));
  afterAll(() => connection.close());

  beforeEach(async () => {
    await rows.deleteMany({});
    const about = {
      webhookId: WEBHOOK.id,
      guildId: WEBHOOK.guildId,
      type: "event.created",
      recordRevision: 1,
    } as const;
    const tried = { body: "{}", digests: [], createdAt: NOW, attempts: 3, firstAttemptAt: NOW } as const;
    const delivery = (id: string) => ({ ...about, ...tried, record: `event ${id}`, recordId: id });
    const stored = [
      { ...delivery("e1"), state: "failed", settledAt: NOW },
      { ...delivery("e2"), state: "pending", nextAttemptAt: NOW + 1 },
    ] as const;
    await connection.transaction((session) => store.insert(numbered(stored, 0), session));
  });

  const stored = () => rows.find({}).sort({ seq: 1 }).toArray();

  const changes: readonly (readonly [what: string, change: () => Promise<unknown>])[] = [
    ["sends a failed delivery again", () => store.sendAgain(WEBHOOK, "w1.1", NOW + 9)],
    ["sends a pending delivery at once", () => store.sendAgain(WEBHOOK, "w1.2", NOW + 9)],
    ["sends all failed deliveries again", () => store.sendFailedAgain(WEBHOOK, 10, NOW + 9)],
    ["restarts the attempts of pending deliveries", () => store.restart(WEBHOOK, NOW + 9)],
  ];

  test.each(changes)("that %s has no effect if it reaches the database after its deadline", async (_what, change) => {
    const before = await stored();
    await expect(runInWriteContext({ deadline: 1 }, change)).rejects.toBeInstanceOf(DeadlinePassed);
    await expect(stored()).resolves.toEqual(before);
  });

  test("makes a settled delivery pending as before its first attempt", async () => {
    await store.sendAgain(WEBHOOK, "w1.1", NOW + 9);
    const [again] = await stored();
    expect(again).toMatchObject({ state: "pending", isRedelivery: true, attempts: 0, nextAttemptAt: NOW + 9 });
    expect(again).not.toHaveProperty("firstAttemptAt");
    expect(again).not.toHaveProperty("settledAt");
  });

  test("counts the failed deliveries that it sends again, and gives pending ones three days again", async () => {
    await expect(store.sendFailedAgain(WEBHOOK, 10, NOW + 9)).resolves.toBe(1);
    await store.restart(WEBHOOK, NOW + 20);
    for (const row of await stored()) {
      expect(row).toMatchObject({ state: "pending", attempts: 0, nextAttemptAt: NOW + 20 });
      expect(row).not.toHaveProperty("firstAttemptAt");
    }
  });
});
