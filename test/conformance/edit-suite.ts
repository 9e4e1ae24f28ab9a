import { expect, test } from "@jest/globals";
import type { OccurrenceId } from "../../services/contracts/ids.ts";
import type { MessageState } from "../../services/dispatch/domain/post/message-state.ts";
import type { Post } from "../../services/dispatch/domain/post/post.ts";
import { LEASE_MS, type PostStoreFixture } from "./post-store-fixture.ts";

const HOUR_MS = 3_600_000;

function messageUntil(until: number): MessageState {
  const occurrenceId = "e1" as OccurrenceId;
  return { occurrenceId, startsAt: 1, until, title: "$title", shown: "s", state: "t", edits: 0, crashes: 0 };
}

/** The promises of a store about the messages of sent posts (D67, D68). */
export function testEdits(fixture: PostStoreFixture): void {
  async function sent(until = Date.now() + HOUR_MS, differs: object = {}): Promise<Post> {
    const post = await fixture.claimed({ message: messageUntil(until) });
    const outcome = {
      state: "sent",
      settledAt: Date.now(),
      owner: undefined,
      message: post.message,
      ...differs,
    } as const;
    return (await fixture.store.write(post, outcome)) as Post;
  }

  function take({ id, guildId, fence }: Post) {
    const claim = { id, guildId, fence, owner: "us", attemptId: "two", leaseMs: LEASE_MS };
    return fixture.store.takeOver({ ...claim, state: "sent" });
  }

  test("a step that is due is read with the posts that wake, and claimed once under a new fence", async () => {
    const wakeAt = Date.now() - 1_000;
    const post = await sent(undefined, { stepDue: true, wakeAt });
    const woken = await fixture.store.postsWaking(wakeAt, wakeAt + 1, 10);
    expect(woken).toMatchObject([{ id: post.id, state: "sent", stepDue: true, message: { title: "$title" } }]);
    await expect(take(post)).resolves.toMatchObject({ state: "sent", fence: post.fence + 1, owner: "us", crashes: 0 });
    await expect(take(post)).resolves.toBeNull();
  });

  test("a step is not claimed before it is due, nor without being due", async () => {
    const early = await sent(undefined, { stepDue: true, wakeAt: Date.now() + HOUR_MS });
    await expect(take(early)).resolves.toBeNull();
    const none = await sent(undefined, { wakeAt: Date.now() - 1 });
    await expect(take(none)).resolves.toBeNull();
    expect(await fixture.store.postsWaking(0, none.wakeAt + 1, 100)).not.toContainEqual(
      expect.objectContaining({ id: none.id }),
    );
  });

  test("a step is requested for sent posts with a message, and the one that is under way cannot end without a new read", async () => {
    const post = await sent(undefined, { wakeAt: Date.now() - 1_000 });
    await fixture.store.requestSteps(post.guildId, [post.id]);
    const due = (await fixture.store.find(post)) as Post;
    expect(due).toMatchObject({ stepDue: true, planRevision: post.planRevision + 1 });
    expect(due.wakeAt).toBeGreaterThan(post.wakeAt);
    const taken = (await take(due)) as Post;
    await fixture.store.requestSteps(post.guildId, [post.id]);
    await expect(fixture.store.find(post)).resolves.toMatchObject({ wakeAt: taken.wakeAt, owner: "us" });
    const ended = { stepDue: undefined, wakeAt: Date.now(), owner: undefined };
    await expect(fixture.store.write(taken, ended)).resolves.toBeNull();
    const plain = await fixture.claimed();
    await fixture.store.requestSteps(plain.guildId, [plain.id]);
    expect(await fixture.store.find(plain)).not.toHaveProperty("stepDue");
  });

  test("the edited messages of a guild are those with an end ahead, the latest end first", async () => {
    const now = Date.now();
    const post = await sent(now + 1_000);
    const read = (at: number) => fixture.store.editedPosts(post.guildId, at, 10);
    await expect(read(now)).resolves.toMatchObject([{ id: post.id, message: { until: now + 1_000 } }]);
    await expect(read(now + 1_000)).resolves.toEqual([]);
    await fixture.store.write(post, { message: undefined });
    await expect(read(now)).resolves.toEqual([]);
  });

  test("the end of a message, the instant of its deletion and the number of deleted messages are stored, and are gone when they end (D68)", async () => {
    const deletion = { endsAt: Date.now(), deleteAt: Date.now() + 60_000, deleted: 2 };
    const post = await sent();
    const message = { ...messageUntil(deletion.deleteAt), ...deletion };
    const begun = (await fixture.store.write(post, { message, wakeAt: Date.now() })) as Post;
    await expect(fixture.store.find(post)).resolves.toMatchObject({ message });
    const next = { ...message, deleteAt: undefined, deleted: undefined };
    await fixture.store.write(begun, { message: next, wakeAt: Date.now() });
    const stored = (await fixture.store.find(post)) as Post;
    expect(stored.message).toEqual({ ...messageUntil(deletion.deleteAt), endsAt: deletion.endsAt });
  });

  test("the steps of a post are stored in their order", async () => {
    const post = await sent();
    const steps = [
      { step: "EDITED", at: 5 },
      { step: "FAILED", at: 6, reason: "$edit failed" },
    ] as const;
    await fixture.store.write(post, { steps, wakeAt: Date.now() });
    await expect(fixture.store.find(post)).resolves.toMatchObject({ steps, state: "sent" });
  });
}
