import { describe, expect, test } from "@jest/globals";
import { EditedPosts } from "../../../../test/fixtures/edited-posts.ts";
import { renderAnnouncement } from "../../domain/message/announcement-message.ts";
import type { RemovalOutcome, Sink } from "../../sinks/sink.ts";
import { newLifecycle } from "../lifecycle.ts";
import { STANDARD_TIMING } from "../timing.ts";
import { newCircuitBreaker } from "./circuit-breaker.ts";
import { newLedger } from "./ledger.ts";
import { newMessageState, newMessageSteps } from "./message-steps.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
const CLEAN_UP = 10;

/** A guild with a sent post of three messages, which are deleted ten minutes after the end of its event; and its steps. */
function guildWith(onChange: "KEEP" | "EDIT" = "KEEP", ...outcomes: RemovalOutcome[]) {
  const guild = new EditedPosts();
  const { ports } = guild;
  const { onChange: _, ...kept } = guild.announcement!;
  guild.announcement = { ...(onChange === "EDIT" ? guild.announcement! : kept), cleanUp: CLEAN_UP };
  const sink: Sink = {
    name: "log",
    send: () => Promise.reject(new Error("a step sends nothing")),
    edit: (edit) => {
      guild.edits.push(edit);
      return Promise.resolve({ kind: "edited" });
    },
    remove: (removal) => {
      guild.removals.push(removal);
      return Promise.resolve(outcomes.shift() ?? { kind: "removed" });
    },
    close: () => Promise.resolve(),
  };
  const makeStep = newMessageSteps({
    ports,
    timing: STANDARD_TIMING,
    ledger: newLedger(ports, newLifecycle(ports)),
    circuitBreaker: newCircuitBreaker(ports, STANDARD_TIMING),
    pacing: { nextPartWaitMs: () => 0, spend: () => undefined },
  });
  guild.sent("p", { delivered: ["m", "n", "o"], parts: 3 });
  const end = guild.occurrence!.endsAt;
  return {
    guild,
    deleteAt: end + CLEAN_UP * MINUTE,
    move: (endsAt: number) => void (guild.occurrence = { ...guild.occurrence!, endsAt }),
    /** Makes the step that is due, at its instant. */
    step: async (through: Sink = sink) => {
      guild.now = Math.max(guild.now, guild.row().wakeAt);
      await makeStep(guild.row(), through);
      return guild.row();
    },
    sink,
  };
}

/** Makes the steps until the row's message is not followed any more. */
async function untilEnded({ guild, step }: ReturnType<typeof guildWith>, max = 100): Promise<void> {
  for (let steps = 0; guild.row().message !== undefined && steps < max; steps += 1) await step();
}

describe("the messages of a sent post (D68)", () => {
  test.each(["KEEP", "EDIT"] as const)(
    "are deleted with %s after the end and clean_up, the last one first, and not before",
    async (onChange) => {
      const post = guildWith(onChange);
      const { guild, step, deleteAt } = post;
      expect(await step()).toMatchObject({ stepDue: true, wakeAt: deleteAt });
      guild.now = deleteAt - 1;
      expect(guild.removals).toEqual([]);
      await untilEnded(post);
      expect(guild.now).toBe(deleteAt);
      expect(guild.removals).toMatchObject([
        { postId: "p", part: 2, messageId: "o" },
        { postId: "p", part: 1, messageId: "n" },
        { postId: "p", part: 0, messageId: "m" },
      ]);
      expect(guild.row()).toMatchObject({ state: "sent", steps: [{ step: "DELETED", at: deleteAt }] });
      expect(guild.row()).not.toHaveProperty("stepDue");
      expect([guild.edits, guild.settled]).toEqual([[], []]);
    },
  );

  test("are not deleted by a step that is made before the instant", async () => {
    const { guild, step, deleteAt } = guildWith();
    guild.now = deleteAt - 1;
    await step();
    expect([guild.removals, guild.row().wakeAt]).toEqual([[], deleteAt]);
  });

  test("are deleted by the present end of the event, which may be later or earlier", async () => {
    const later = guildWith();
    await later.step();
    later.move(later.guild.occurrence!.endsAt + DAY);
    expect(await later.step()).toMatchObject({ stepDue: true, wakeAt: later.deleteAt + DAY });
    expect(later.guild.removals).toEqual([]);
    await untilEnded(later);
    expect(later.guild.now).toBe(later.deleteAt + DAY);

    const earlier = guildWith();
    earlier.move(earlier.guild.occurrence!.startsAt + MINUTE);
    await earlier.step();
    expect(earlier.guild.row().wakeAt).toBe(earlier.guild.occurrence!.endsAt + CLEAN_UP * MINUTE);
  });

  test("that are left stay if the event is moved while the others are deleted", async () => {
    const post = guildWith();
    const { guild, step, deleteAt } = post;
    await step();
    await step();
    post.move(guild.occurrence!.endsAt + DAY);
    expect(await step()).toMatchObject({ wakeAt: deleteAt + DAY, message: { deleted: undefined } });
    expect(guild.removals).toHaveLength(1);
  });

  test("of a deleted event are marked with EDIT, and deleted after the end that it had", async () => {
    const post = guildWith("EDIT");
    const { guild, step, deleteAt } = post;
    guild.occurrence = null;
    expect(await step()).toMatchObject({ steps: [{ step: "CANCELLED" }], stepDue: true, wakeAt: deleteAt });
    await untilEnded(post);
    expect([guild.now, guild.row().steps?.map(({ step: kind }) => kind)]).toEqual([deleteAt, ["CANCELLED", "DELETED"]]);
  });

  test("are edited if their event was moved while dispatch did not run, until after the former instant", async () => {
    const { guild, step, deleteAt } = guildWith("EDIT");
    guild.occurrence = { ...guild.occurrence!, endsAt: guild.occurrence!.endsAt + 2 * DAY, name: "Moved" };
    guild.now = deleteAt + DAY;
    expect(await step()).toMatchObject({ message: { title: "Moved" }, steps: [{ step: "EDITED" }] });
    expect(guild.row().wakeAt).toBe(deleteAt + 2 * DAY);
  });

  test("are edited until they are deleted, also after the end of the event", async () => {
    const { guild, step, deleteAt } = guildWith("EDIT");
    guild.now = guild.occurrence!.endsAt + 1;
    guild.occurrence = { ...guild.occurrence!, name: "Late change" };
    expect(await step()).toMatchObject({ message: { title: "Late change" }, stepDue: true, wakeAt: deleteAt });
    // The last change comes with the instant of the deletion: nothing is edited any more.
    guild.occurrence = { ...guild.occurrence, name: "Too late" };
    guild.now = deleteAt;
    await step();
    expect([guild.edits.length, guild.removals.length]).toEqual([1, 1]);
  });

  test("are deleted while the announcement is disabled, and not edited", async () => {
    const post = guildWith("EDIT");
    post.guild.announcement = { ...post.guild.announcement!, enabled: false };
    post.guild.occurrence = { ...post.guild.occurrence!, name: "Later" };
    await untilEnded(post);
    expect([post.guild.edits.length, post.guild.removals.length]).toEqual([0, 3]);
  });

  test("stay if the announcement is deleted, or its clean_up is removed", async () => {
    const removed = guildWith();
    removed.guild.announcement = null;
    await removed.step();
    expect([removed.guild.row().message, removed.guild.removals]).toEqual([undefined, []]);
    const cleared = guildWith();
    const { cleanUp: _, ...others } = cleared.guild.announcement!;
    cleared.guild.announcement = others;
    cleared.guild.now = cleared.deleteAt;
    const { message, stepDue } = await cleared.step();
    expect([message?.deleteAt, stepDue, cleared.guild.removals]).toEqual([undefined, undefined, []]);
  });

  test("that were sent with neither EDIT nor clean_up are never followed", () => {
    const { guild, sink } = guildWith();
    const { cleanUp: _, ...announcement } = guild.announcement!;
    const state = { announcement, occurrence: guild.occurrence!, settings: guild.settings };
    expect(newMessageState(state, renderAnnouncement(state), sink, guild.now)).toBeUndefined();
    const cleaned = { ...state, announcement: guild.announcement! };
    expect(newMessageState(cleaned, renderAnnouncement(cleaned), sink, guild.now)).toBeDefined();
  });

  test("are compared once a year if their event ends later than that", async () => {
    const { guild, step, move, deleteAt } = guildWith();
    const start = guild.now;
    move(guild.occurrence!.endsAt + 700 * DAY);
    expect((await step()).wakeAt).toBe(start + 366 * DAY);
    expect(await step()).toMatchObject({ wakeAt: deleteAt + 700 * DAY, message: { until: deleteAt + 700 * DAY } });
    expect(guild.removals).toEqual([]);
  });
});

describe("a step that deletes a message (D68)", () => {
  test("counts a message that is already gone as deleted", async () => {
    const post = guildWith("KEEP", { kind: "gone", reason: "Unknown Message" }, { kind: "removed" });
    await untilEnded(post);
    expect(post.guild.removals).toHaveLength(3);
    expect(post.guild.row().steps).toMatchObject([{ step: "DELETED" }]);
  });

  test("is made again after a failure, and deletes no message twice that had a response", async () => {
    const post = guildWith("KEEP", { kind: "removed" }, { kind: "retry", reason: "503", afterMs: 0 });
    await untilEnded(post);
    expect(post.guild.removals.map(({ messageId }) => messageId)).toEqual(["o", "n", "n", "m"]);
    expect(post.guild.row().steps).toMatchObject([{ step: "DELETED" }]);
  });

  test("is given up after thirty failures, of which none is one of an edit, and ends the message with the reason", async () => {
    const failure: RemovalOutcome = { kind: "retry", reason: "HTTP 503", afterMs: 0 };
    const post = guildWith("KEEP", ...Array.from({ length: 40 }, () => failure));
    post.guild.sent("p", { delivered: ["m"], parts: 1 }, { failures: 20 });
    post.guild.now = post.deleteAt;
    await untilEnded(post);
    expect(post.guild.removals).toHaveLength(30);
    expect(post.guild.row().steps).toMatchObject([{ step: "FAILED", reason: "deletion failed: HTTP 503" }]);
    expect(post.guild.failures).toMatchObject([{ operation: "delete message", post: { id: "p" }, reason: "HTTP 503" }]);
    expect(post.guild.row()).not.toHaveProperty("stepDue");
  });

  test("and its failure name the request that last changed the event", async () => {
    const post = guildWith("KEEP", { kind: "rejected", scope: "channel", reason: "HTTP 403" });
    const changedBy = { at: 2, requestId: "r-event" };
    post.guild.occurrence = { ...post.guild.occurrence!, changedBy };
    await untilEnded(post);
    expect(post.guild.removals).toMatchObject([{ changedBy }]);
    expect(post.guild.failures).toMatchObject([{ operation: "delete message", post: { changedBy } }]);
  });

  test("is given up at once if the receiver refuses it", async () => {
    const post = guildWith("KEEP", { kind: "rejected", scope: "channel", reason: "HTTP 403 50001 Missing Access" });
    await untilEnded(post);
    expect(post.guild.removals).toHaveLength(1);
    expect(post.guild.row().steps).toMatchObject([
      { step: "FAILED", reason: "deletion failed: HTTP 403 50001 Missing Access" },
    ]);
  });

  test("waits for a rate limit and for a halted sink, which are no failures", async () => {
    const post = guildWith("KEEP", { kind: "retry", reason: "429", afterMs: 5_000 }, { kind: "halted", reason: "401" });
    const { guild, step } = post;
    await step();
    expect((await step()).wakeAt - guild.now).toBeGreaterThanOrEqual(5_000);
    const halted = await step();
    expect([halted.wakeAt - guild.now, halted.message?.failures]).toEqual([STANDARD_TIMING.circuitOpenMs, undefined]);
    await untilEnded(post);
    expect(guild.row().steps).toMatchObject([{ step: "DELETED" }]);
  });

  test("waits for owners that do not respond for days, and is then made", async () => {
    const post = guildWith();
    const { guild, step } = post;
    guild.onRead = () => Promise.reject(new Error("silent"));
    guild.now = post.deleteAt + DAY;
    for (let time = 0; time < 40; time += 1) expect(await step()).toMatchObject({ stepDue: true });
    expect(guild.removals).toEqual([]);
    guild.onRead = () => Promise.resolve();
    await untilEnded(post);
    expect(guild.row().steps).toMatchObject([{ step: "DELETED" }]);
  });

  test("that ended three workers is given up", async () => {
    const post = guildWith();
    post.guild.sent("p", { owner: "them", crashes: 2 });
    post.guild.now = post.deleteAt;
    await untilEnded(post);
    expect(post.guild.removals).toEqual([]);
    expect(post.guild.row().steps).toMatchObject([{ step: "FAILED", reason: expect.stringContaining("poison") }]);
  });

  test("is not made by a worker whose lease is nearly over", async () => {
    const { guild, step, deleteAt } = guildWith();
    guild.now = deleteAt;
    guild.onRead = () => {
      guild.now += STANDARD_TIMING.leaseMs - 400;
      return Promise.resolve();
    };
    expect(await step()).toMatchObject({ stepDue: true, owner: "us" });
    expect(guild.removals).toEqual([]);
  });

  test("needs a sink that deletes: otherwise the message is edited until its end, and stays", async () => {
    const { guild, step, sink } = guildWith("EDIT");
    const { remove: _, ...editing } = sink;
    expect(await step(editing)).toMatchObject({ message: { until: guild.occurrence!.endsAt } });
    expect(guild.row()).not.toHaveProperty("stepDue");
    const { edit: __, ...silent } = editing;
    guild.sent();
    expect((await step(silent)).steps).toMatchObject([{ step: "DROPPED" }]);
  });
});
