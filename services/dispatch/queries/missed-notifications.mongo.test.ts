import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import mongoose from "mongoose";
import { HOUR, NOON, sampleOccurrence } from "../../../test/fixtures/dispatch-samples.ts";
import { emptyDatabase } from "../../../test/harness/test-services.ts";
import type { PostState } from "../../contracts/dispatch.contract.ts";
import { isRefusal } from "../../contracts/errors.ts";
import type { GuildId, OccurrenceId } from "../../contracts/ids.ts";
import { notificationRule } from "../domain/notification/notification-rule.ts";
import { type Post, postId } from "../domain/post/post.ts";
import { NOTIFICATION_SINK } from "../domain/post/sink-name.ts";
import { ledgerModels } from "../store/ledger-models.store.ts";
import { missedNotificationsStore } from "../store/missed-notifications.store.ts";
import { toRow } from "../store/post.document.ts";
import { missedNotificationsPage } from "./missed-notifications.ts";

const [GUILD, OTHER] = ["1" as GuildId, "2" as GuildId];
const rule = notificationRule(GUILD, "occurrence.started", 0);

/** The notification of the start of an event, with an outcome `settledAfter` milliseconds after an hour. */
function notification(id: string, state: PostState, settledAfter: number, differs: Partial<Post> = {}): Post {
  const { startsAt } = sampleOccurrence({ startsAt: NOON });
  const key = { announcementId: rule.id, occurrenceId: id as OccurrenceId, startsAt, sink: NOTIFICATION_SINK } as const;
  return {
    ...key,
    id: postId(key, 1),
    guildId: GUILD,
    channel: rule.channel,
    dueAt: startsAt,
    deadline: startsAt + HOUR,
    round: 1,
    state,
    planRevision: 1,
    fence: 0,
    wakeAt: startsAt,
    attempts: 0,
    crashes: 0,
    delivered: [],
    settledAt: startsAt + HOUR + settledAfter,
    reason: "dispatch was not running from 12:00 to 13:00",
    ...differs,
  };
}

describe("the missed notifications of a guild (D59)", () => {
  const connection = mongoose.createConnection();
  const { posts } = ledgerModels(connection, "notifications");
  const store = missedNotificationsStore(connection);

  beforeAll(async () => {
    await connection.openUri(emptyDatabase());
    await posts.createIndexes();
  });
  afterAll(() => connection.close());
  beforeEach(() => posts.deleteMany({}));

  async function page(params: { limit?: number; cursor?: string } = {}) {
    const found = await missedNotificationsPage(store, { guildId: GUILD, ...params });
    if (isRefusal(found)) throw new Error(found.refusal);
    return found;
  }

  test("are those that were missed, failed or are in doubt, with the instant and the reason", async () => {
    const others = (["sent", "cancelled", "skipped"] as const).map((state, n) => notification(`other${n}`, state, n));
    const { settledAt: _, ...planned } = notification("planned", "planned", 0);
    const rows = [
      notification("e1", "missed", 1),
      notification("e2", "failed", 2, { reason: "poison: it crashed two workers" }),
      notification("e3", "unknown", 3),
      notification("e4", "missed", 4, { guildId: OTHER }),
      ...others,
      planned,
    ];
    await posts.collection.insertMany(rows.map((post) => toRow(post)) as never[]);
    const { entries, next } = await page();
    expect(entries.map(({ eventId, state }) => `${eventId} ${state}`)).toEqual([
      "e3 unknown",
      "e2 failed",
      "e1 missed",
    ]);
    expect(next).toBeUndefined();
    expect(entries[2]).toEqual({
      type: "occurrence.started",
      eventId: "e1",
      occurredAt: NOON,
      state: "missed",
      settledAt: NOON + HOUR + 1,
      reason: "dispatch was not running from 12:00 to 13:00",
      reasonCode: "DISPATCH_DOWN",
    });
    expect(entries[1]).toMatchObject({ reasonCode: "POISON" });
  });

  test("are listed in pages, each once, also those with the outcome at the same instant", async () => {
    const rows = Array.from({ length: 25 }, (_, n) => notification(`e${String(n).padStart(2, "0")}`, "missed", n % 3));
    await posts.collection.insertMany(rows.map((post) => toRow(post)) as never[]);
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const { entries, next }: Awaited<ReturnType<typeof page>> = await page({ limit: 4, ...(cursor && { cursor }) });
      expect(entries.length).toBeLessThanOrEqual(4);
      found.push(...entries.map(({ settledAt, eventId }) => `${NOON + 2 * HOUR - settledAt} ${eventId}`));
      cursor = next;
    } while (cursor !== undefined);
    expect(found).toHaveLength(rows.length);
    expect(new Set(found).size).toBe(rows.length);
    expect(found).toEqual(found.toSorted());
  });

  test("are refused with the field for a cursor of another list", async () => {
    const refused = await missedNotificationsPage(store, { guildId: GUILD, cursor: "nonsense" });
    expect(refused).toMatchObject({ refusal: "INVALID_REQUEST", problems: [{ field: "cursor" }] });
  });
});
