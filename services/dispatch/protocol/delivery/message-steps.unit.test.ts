import { describe, expect, test } from "@jest/globals";
import { EditedPosts } from "../../../../test/fixtures/edited-posts.ts";
import type { EditOutcome, Sink } from "../../sinks/sink.ts";
import { newLifecycle } from "../lifecycle.ts";
import { STANDARD_TIMING } from "../timing.ts";
import { newCircuitBreaker } from "./circuit-breaker.ts";
import { newLedger } from "./ledger.ts";
import { newMessageSteps } from "./message-steps.ts";

const MINUTE = 60_000;

/** A guild with a sent post, and its steps through a sink with these outcomes; `edited` after them. */
function guildWith(...outcomes: EditOutcome[]) {
  const guild = new EditedPosts();
  const { ports } = guild;
  const lifecycle = newLifecycle(ports);
  const sink: Sink = {
    name: "log",
    send: () => Promise.reject(new Error("a step sends nothing")),
    edit: (edit) => {
      guild.edits.push(edit);
      return Promise.resolve(outcomes.shift() ?? { kind: "edited" });
    },
    close: () => Promise.resolve(),
  };
  const makeStep = newMessageSteps({
    ports,
    timing: STANDARD_TIMING,
    ledger: newLedger(ports, lifecycle),
    circuitBreaker: newCircuitBreaker(ports, STANDARD_TIMING),
    pacing: { nextPartWaitMs: () => 0, spend: () => undefined },
  });
  return {
    guild,
    rename: (name: string) => void (guild.occurrence = { ...guild.occurrence!, name }),
    /** Makes the step that is due, at its instant. */
    step: async (through: Sink | null = sink) => {
      guild.now = Math.max(guild.now, guild.row().wakeAt);
      await makeStep(guild.row(), through ?? undefined);
      return guild.row();
    },
  };
}

describe("the step of a sent message (D67)", () => {
  test("makes no request if the message shows the present state", async () => {
    const { guild, step } = guildWith();
    guild.sent("p", {}, { state: "older" });
    const { stepDue, message, fence, steps, owner } = await step();
    expect([guild.edits, stepDue, fence, steps, owner]).toEqual([[], undefined, 2, undefined, undefined]);
    expect(message?.state).not.toBe("older");
  });

  test("edits the message to the present state, without mentions, and records that", async () => {
    const { guild, step, rename } = guildWith();
    guild.sent();
    rename("Later");
    const { steps, message, stepDue } = await step();
    expect(guild.edits).toMatchObject([{ messageId: "m", edit: 1, message: { embeds: [{ title: "Later" }] } }]);
    expect(guild.edits[0]?.message.allowedMentions).toEqual({ parse: [], users: [], roles: [] });
    // The outcome of the post was reported when it was sent.
    expect(guild.settled).toEqual([]);
    expect([steps, message?.edits, message?.title, stepDue]).toEqual([
      [{ step: "EDITED", at: guild.now }],
      1,
      "Later",
      undefined,
    ]);
  });

  test("follows the occurrence to its new end, and not for more than 366 days", async () => {
    const { guild, step } = guildWith();
    guild.sent();
    const day = 86_400_000;
    guild.occurrence = { ...guild.occurrence!, startsAt: guild.now, endsAt: guild.now + 2 * day };
    expect((await step()).message?.until).toBe(guild.now + 2 * day);
    guild.sent();
    guild.occurrence = { ...guild.occurrence, endsAt: guild.now + 500 * day };
    expect((await step()).message?.until).toBe(guild.now + 366 * day);
  });

  test("marks the message of an event that is gone, and shows a restored one again", async () => {
    const { guild, step } = guildWith();
    guild.sent();
    const before = guild.occurrence;
    guild.occurrence = null;
    expect((await step()).steps).toMatchObject([{ step: "CANCELLED" }]);
    expect(guild.edits[0]?.message.embeds).toMatchObject([{ title: "~~Raid night~~", description: "Cancelled" }]);
    guild.occurrence = before;
    await guild.store.requestSteps(guild.row().guildId, ["p"]);
    expect((await step()).steps).toMatchObject([{ step: "CANCELLED" }, { step: "EDITED" }]);
  });

  test("ends the edits of a message that somebody deleted", async () => {
    const { guild, step, rename } = guildWith({ kind: "gone", reason: "Unknown Message" });
    guild.sent();
    rename("Later");
    const { message, stepDue, state, steps } = await step();
    expect([message, stepDue, state]).toEqual([undefined, undefined, "sent"]);
    expect(steps).toMatchObject([{ step: "GONE", reason: "Unknown Message" }]);
    await guild.store.requestSteps(guild.row().guildId, ["p"]);
    expect(guild.row()).not.toHaveProperty("stepDue");
  });

  test("is tried again after a failure, and sends its content again", async () => {
    const { guild, step, rename } = guildWith({ kind: "retry", reason: "503", afterMs: 0 });
    guild.sent();
    rename("Later");
    const failed = await step();
    expect([failed.stepDue, failed.steps, failed.message?.failures]).toEqual([true, undefined, 1]);
    expect(failed.wakeAt).toBeGreaterThan(guild.now);
    // The first attempt may have been applied.
    rename("Raid night");
    await step();
    expect(guild.edits.map(({ message }) => message.embeds[0]?.title)).toEqual(["Later", "Raid night"]);
    expect(guild.row().message?.failures).toBeUndefined();
  });

  test("is given up after thirty failures, with the reason, until the next change", async () => {
    const failure: EditOutcome = { kind: "retry", reason: "HTTP 503", afterMs: 0 };
    const { guild, step, rename } = guildWith(...Array.from({ length: 30 }, () => failure));
    guild.sent();
    rename("Later");
    while (guild.row().stepDue === true) await step();
    expect(guild.edits).toHaveLength(30);
    expect(guild.row().steps).toMatchObject([{ step: "FAILED", reason: "edit failed: HTTP 503" }]);
    expect(guild.failures).toMatchObject([{ operation: "edit message", post: { id: "p" }, reason: "HTTP 503" }]);
    await guild.store.requestSteps(guild.row().guildId, ["p"]);
    expect((await step()).steps).toMatchObject([{ step: "FAILED" }, { step: "EDITED" }]);
  });

  test("and its failure name the request that changed the event, and not that of the post", async () => {
    const { guild, step } = guildWith({ kind: "rejected", scope: "payload", reason: "HTTP 400" });
    guild.sent("p", { changedBy: { at: 1, requestId: "r-post" } });
    const changedBy = { at: 2, requestId: "r-event" };
    guild.occurrence = { ...guild.occurrence!, name: "Later", changedBy };
    await step();
    expect(guild.edits).toMatchObject([{ changedBy }]);
    expect(guild.failures).toMatchObject([{ operation: "edit message", post: { id: "p", changedBy } }]);
  });

  test("of a deleted event names no request: that of the deletion is not known", async () => {
    const { guild, step } = guildWith();
    const changedBy = { at: 1, requestId: "r-post" };
    guild.announcement = { ...guild.announcement!, changedBy };
    guild.sent("p", { changedBy });
    guild.occurrence = null;
    expect((await step()).steps).toMatchObject([{ step: "CANCELLED" }]);
    expect(guild.edits.map((edit) => "changedBy" in edit)).toEqual([false]);
  });

  test("waits for a rate limit and for a halted sink, which are no failures", async () => {
    const { guild, step, rename } = guildWith(
      { kind: "retry", reason: "429", afterMs: 5_000 },
      { kind: "halted", reason: "401" },
    );
    guild.sent();
    rename("Later");
    const limited = await step();
    expect(limited.wakeAt - guild.now).toBeGreaterThanOrEqual(5_000);
    const halted = await step();
    expect(halted.wakeAt - guild.now).toBe(STANDARD_TIMING.circuitOpenMs);
    expect(halted.message?.failures).toBeUndefined();
    expect((await step()).steps).toMatchObject([{ step: "EDITED" }]);
  });

  test("waits for owners that do not respond, and edits nothing meanwhile", async () => {
    const { guild, step, rename } = guildWith();
    guild.sent();
    rename("Later");
    guild.onRead = () => Promise.reject(new Error("silent"));
    const pauses: number[] = [];
    for (let time = 0; time < 40; time += 1) {
      const waiting = await step();
      expect(waiting).toMatchObject({ stepDue: true, message: { title: "Raid night" } });
      pauses.push(waiting.wakeAt - guild.now);
    }
    // The pauses grow to a minute; the outage, which is reported, gives up no step.
    expect([pauses[1]! > pauses[0]!, Math.max(...pauses) > 30_000, Math.max(...pauses) <= 60_000]).toEqual([
      true,
      true,
      true,
    ]);
    expect(guild.failures[0]).toMatchObject({ operation: "read the state of a message", post: { id: "p" } });
    expect(guild.edits).toEqual([]);
    guild.onRead = () => Promise.resolve();
    expect((await step()).steps).toMatchObject([{ step: "EDITED" }]);
  });

  test("is given up with the reason if the message cannot be made, until the next change", async () => {
    const { guild, step, rename } = guildWith();
    guild.sent();
    rename("Later");
    const { render } = guild.ports;
    Object.assign(guild.ports, {
      render: () => {
        throw new Error("no such word");
      },
    });
    expect((await step()).steps).toMatchObject([{ step: "FAILED", reason: "edit failed: no such word" }]);
    expect([guild.edits, guild.row().stepDue]).toEqual([[], undefined]);
    Object.assign(guild.ports, { render });
    await guild.store.requestSteps(guild.row().guildId, ["p"]);
    expect((await step()).steps).toMatchObject([{ step: "FAILED" }, { step: "EDITED" }]);
  });

  test("is given up when the event has been over for longer than the grace time", async () => {
    const { guild, step, rename } = guildWith();
    guild.sent();
    rename("Later");
    guild.now = guild.occurrence!.endsAt + STANDARD_TIMING.graceMs + 1;
    expect((await step()).steps).toMatchObject([{ step: "FAILED" }]);
    expect(guild.edits).toEqual([]);
  });

  test("of a worker that vanished is made again, and once more half a minute later", async () => {
    const { guild, step } = guildWith();
    guild.sent("p", { owner: "them" });
    const again = await step();
    expect([again.stepDue, again.wakeAt - guild.now, guild.edits.length]).toEqual([true, 30_000, 1]);
    const { stepDue, steps } = await step();
    expect([stepDue, steps, guild.edits.length]).toEqual([undefined, undefined, 2]);
  });

  test("that ended three workers is given up", async () => {
    const { guild, step, rename } = guildWith();
    guild.sent("p", { owner: "them", crashes: 2 });
    rename("Later");
    const { steps, message } = await step();
    expect(steps).toMatchObject([{ step: "FAILED", reason: expect.stringContaining("poison") }]);
    expect([guild.edits, message?.crashes]).toEqual([[], 3]);
  });

  test("does not end as if it had seen a change that came meanwhile", async () => {
    const { guild, step, rename } = guildWith();
    guild.sent();
    rename("First");
    const { store } = guild;
    const write = store.write.bind(store);
    let isFirst = true;
    Object.assign(store, {
      async write(...args: Parameters<typeof write>) {
        if (isFirst) await store.requestSteps(guild.row().guildId, ["p"]);
        isFirst = false;
        return write(...args);
      },
    });
    expect(await step()).toMatchObject({ stepDue: true, steps: [{ step: "EDITED" }] });
    rename("Second");
    expect((await step()).message?.title).toBe("Second");
  });

  test.each([
    ["is disabled", { enabled: false }],
    ["keeps its messages", { onChange: undefined }],
  ])("edits nothing while the announcement %s", async (_what, change) => {
    const { guild, step, rename } = guildWith();
    guild.sent();
    rename("Later");
    const { onChange: _, ...kept } = { ...guild.announcement!, ...change };
    guild.announcement = "onChange" in change ? kept : { ...guild.announcement!, ...change };
    expect(await step()).toMatchObject({ message: { title: "Raid night" } });
    expect([guild.edits, guild.row().stepDue]).toEqual([[], undefined]);
  });

  test("ends with its announcement, and with its sink", async () => {
    const { guild, step } = guildWith();
    guild.sent();
    guild.announcement = null;
    expect(await step()).not.toHaveProperty("message");
    const other = guildWith();
    other.guild.sent();
    const dropped = await other.step(null);
    expect([dropped.state, dropped.message]).toEqual(["sent", undefined]);
    expect(dropped.steps).toMatchObject([{ step: "DROPPED", reason: "the sink log cannot edit it" }]);
  });

  test("is not made by a worker whose lease is nearly over", async () => {
    const { guild, step, rename } = guildWith();
    guild.sent();
    rename("Later");
    guild.onRead = () => {
      guild.now += STANDARD_TIMING.leaseMs - 400;
      return Promise.resolve();
    };
    expect(await step()).toMatchObject({ stepDue: true, owner: "us" });
    expect(guild.edits).toEqual([]);
  });
});

test("a message is compared with the state of its announcement until its event is over", () => {
  const { guild } = guildWith();
  expect(guild.sent().message?.until).toBe(guild.occurrence!.endsAt);
  guild.occurrence = { ...guild.occurrence!, endsAt: guild.occurrence!.startsAt };
  expect(guild.sent().message?.until).toBe(guild.occurrence.startsAt + MINUTE);
});
