import { describe, expect, test } from "@jest/globals";
import { demandedPosts } from "./demanded-posts.ts";
import { verdictOnDemands } from "./demands-verdict.ts";
import {
  AT,
  EDITED,
  END_AT,
  HOUR,
  sampleRun,
  type Message,
  MINUTE,
  type Row,
  type Run,
  SHORT_ENDS_AT,
} from "./sample-run.ts";

function judged(change: (run: Run) => void) {
  const run = sampleRun();
  change(run);
  const { guild, rows: history, messages, editsWhenGone } = run;
  const demands = demandedPosts(guild, []);
  return verdictOnDemands([{ guild, demands, history, messages, editsWhenGone, endAt: END_AT }]);
}

/** Replaces the outcome of a post that was sent, and removes its message. */
function unsent(run: Run, name: string, offset: string, outcome: Partial<Row>): void {
  const row = run.row(name, offset);
  run.messages.splice(run.messages.indexOf(run.message(name, offset)), 1);
  for (const field of ["messageId", "lateMs", "steps"] as const) delete row[field];
  Object.assign(row, outcome);
}

function sendAgain(run: Run, name: string, offset: string, more: Partial<Row> = {}): void {
  const id = `again${run.rows.length}`;
  run.messages.push({ ...run.message(name, offset), id, receivedAt: END_AT });
  run.rows.push({ ...run.row(name, offset), messageId: id, ...more });
}

const PAUSED = { reason: "paused until 2030-03-17T18:46:40Z (guild)", reasonCode: "PAUSED" } as const;
const LATER_REASON = { reason: "its event was moved", reasonCode: "EVENT_CHANGED" } as const;

describe("the verdict on demands", () => {
  test("accepts each post once, with its pauses, digests and edits", () => {
    expect(judged(() => undefined)).toMatchObject({
      broken: [],
      doubled: 0,
      lost: 0,
      early: 0,
      digests: 1,
      worstMs: 50,
    });
    expect(judged(() => undefined).paused).toBeGreaterThan(4);
  });

  test.each<[string, (run: Run) => void]>([
    [
      "a second row of a creation, skipped because its event moved after it was posted",
      ({ rows, row }) => void rows.unshift({ ...row("raid", "CREATED 0"), state: "skipped", ...LATER_REASON }),
    ],
    [
      "a post that was given up after its deadline",
      (run) =>
        unsent(run, "raid", "START 0", {
          state: "missed",
          reason: "dispatch was not running",
          settledAt: AT + 2 * HOUR,
        }),
    ],
    [
      "a post that waited until its event was changed",
      (run) => unsent(run, "gone", "START 1", { state: "cancelled", ...LATER_REASON, settledAt: AT + 5 * MINUTE }),
    ],
    [
      "a post that waited until a pause was set",
      (run) => {
        run.guild.pauses.guild.push({ sentAt: AT + 9 * MINUTE, ackedAt: AT + 9 * MINUTE, until: AT + HOUR });
        unsent(run, "raid", "START 0", { state: "skipped", ...PAUSED, settledAt: AT + 9 * MINUTE });
      },
    ],
    [
      "a late post with a reason",
      ({ row }) => Object.assign(row("raid", "START 0"), { lateMs: 6_000, reasonCode: "WORKER_VANISHED" }),
    ],
    ["a message of an event that is over as it was", ({ message }) => void (message("short", "END 1").embeds = [])],
    [
      "a message that a person deleted as it was",
      ({ message }) => void (message("raid", "CREATED 0").embeds = [{ title: "another" }]),
    ],
    [
      "two requests for a deleted message by workers that were killed",
      ({ editsWhenGone }) => void editsWhenGone.set("m", 2),
    ],
  ])("accepts %s", (_name, change) => {
    expect(judged(change).broken).toEqual([]);
  });

  test.each<[string, (run: Run) => void, string]>([
    [
      "a message without a row",
      ({ messages, message }) => void messages.push({ ...message("raid", "START 0"), id: "another" }),
      '1 doubled ("raid" in channel 1)',
    ],
    [
      "a deleted message that was posted again",
      ({ messages, message, row }) => {
        messages.push({ ...message("raid", "CREATED 0"), id: "another" });
        row("raid", "CREATED 0").messageId = "another";
      },
      '1 doubled ("raid" in channel 1)',
    ],
    ["a post with two rows", (run) => sendAgain(run, "raid", "START 0"), "1 doubled (raid in channel 1"],
    [
      "a creation that was posted again at another start",
      (run) => sendAgain(run, "raid", "CREATED 1", { startsAt: AT + 6 * MINUTE }),
      "1 doubled (raid in channel 1 by CREATED 1",
    ],
    [
      "a change that was posted twice",
      (run) => sendAgain(run, "moved", "CHANGED 1", { startsAt: AT }),
      "1 doubled (moved in channel 6 by CHANGED 1",
    ],
    [
      "a change that was not posted",
      (run) => unsent(run, "moved", "CHANGED 0", { state: "cancelled", ...LATER_REASON }),
      "1 lost (moved in channel 6 by CHANGED 0",
    ],
    ["a digest that was posted twice", (run) => sendAgain(run, "3", "lead time 0"), "1 doubled (d3_20300317"],
    [
      "a post without a row and a message",
      (run) => {
        const row = run.row("raid", "START 0");
        unsent(run, "raid", "START 0", {});
        run.rows.splice(run.rows.indexOf(row), 1);
      },
      "1 lost (raid in channel 1 by START 0",
    ],
    [
      "a post that is sent according to its row, without a message",
      ({ messages, message }) => void messages.splice(messages.indexOf(message("raid", "START 0")), 1),
      "1 lost (raid in channel 1 by START 0",
    ],
    [
      "a post that was cancelled although it is demanded",
      (run) => unsent(run, "raid", "START 0", { state: "cancelled", ...LATER_REASON }),
      "1 lost (raid in channel 1 by START 0",
    ],
    [
      "a post that was cancelled before its event was changed",
      (run) => unsent(run, "gone", "START 0", { state: "cancelled", ...LATER_REASON }),
      "1 lost (gone in channel 1 by START 0",
    ],
    [
      "a post that was given up before its deadline",
      (run) => unsent(run, "raid", "START 0", { state: "missed", reason: "dispatch was not running" }),
      "1 lost (raid in channel 1 by START 0",
    ],
    [
      "a digest that is lost",
      (run) => unsent(run, "3", "lead time 0", { state: "skipped", reason: "x", reasonCode: "DIGEST_EMPTY" }),
      "1 lost ( in channel 3 by digest",
    ],
    [
      "an empty digest that was sent",
      (run) => {
        Object.assign(run.row("4", "lead time 0"), { state: "sent", messageId: "another", lateMs: 5 });
        run.messages.push({ ...run.message("raid", "START 0"), id: "another", channel: "4", embeds: [] });
      },
      "1 lost ( in channel 4 by digest",
    ],
    [
      "a message before its due instant",
      ({ message, row }) => void (message("raid", "START 0").receivedAt = row("raid", "START 0").dueAt - 2),
      "1 early (raid in channel 1 by START 0",
    ],
    [
      "a late post without a reason",
      ({ row }) => void (row("raid", "START 0").lateMs = 5_001),
      "1 late or unsent without a reason (raid",
    ],
    [
      "a skipped post without a reason",
      ({ row }) => void delete row("paused", "START 0").reason,
      "1 late or unsent without a reason (paused",
    ],
    [
      "a post of an event that was deleted before",
      (run) => sendAgain(run, "gone", "START 0", { offsetMinutes: 60, dueAt: AT + 8 * MINUTE, startsAt: AT }),
      "1 that nothing demands (gone",
    ],
    [
      "a post against a pause",
      (run) => {
        const { messages, message, row } = run;
        messages.push({ ...message("raid", "START 0"), id: "another" });
        Object.assign(row("paused", "START 0"), { state: "sent", messageId: "another", lateMs: 5 });
      },
      "1 against a pause (paused in channel 1 by START 0",
    ],
    [
      "a post that is skipped without a pause",
      (run) => unsent(run, "raid", "START 0", { state: "skipped", ...PAUSED }),
      "1 skipped without a pause (raid in channel 1 by START 0",
    ],
    [
      "a paused post that was skipped for another reason",
      ({ row }) => Object.assign(row("paused", "START 0"), LATER_REASON),
      "1 lost (paused in channel 1 by START 0",
    ],
    [
      "a message of an event with its former times",
      ({ message }) => void (message("raid", "START 0").embeds = [{ title: "raid", description: EDITED.info }]),
      "1 messages with another state than the last (raid",
    ],
    [
      "a message without the text of its announcement",
      ({ message }) => {
        const { title, description } = message("raid", "START 0").embeds[0] as { title: string; description: string };
        message("raid", "START 0").embeds = [{ title, description: description.replace(EDITED.info, "") }];
      },
      "without Bring potions",
    ],
    [
      "a message of a deleted event without a mark",
      ({ message }) => void (message("gone", "START 0").embeds = [{ title: "gone" }]),
      "1 messages with another state than the last (gone",
    ],
    [
      "an edited message of an announcement that keeps its messages",
      ({ messages }) => void ((messages.find(({ channel }) => channel === "2") as Message).edits = 1),
      "1 messages edited that are kept",
    ],
    [
      "edits of a deleted message",
      ({ editsWhenGone }) => void editsWhenGone.set("m1", 3),
      "1 edited after they were deleted",
    ],
    [
      "a message that is deleted before the end of its event",
      ({ message }) => void (message("short in 5", "START 0").deletedAt = SHORT_ENDS_AT - 1),
      "1 deleted before their instant (short in channel 5",
    ],
    [
      "a deleted message of an announcement that keeps its messages",
      ({ message }) => void (message("short in 2", "lead time 0").deletedAt = SHORT_ENDS_AT),
      "1 messages deleted that are kept (short in channel 2",
    ],
    [
      "a message that is left after its event",
      ({ message }) => void delete message("short in 5", "START 0").deletedAt,
      "1 messages left after their instant (short in channel 5",
    ],
  ])("finds %s", (_name, change, sentence) => {
    expect(judged(change).broken.join("\n")).toContain(sentence);
  });

  test("finds that a kind of posts or steps did not occur", () => {
    const { broken } = judged((run) => {
      for (const row of run.rows) delete row.steps;
      unsent(run, "3", "lead time 0", { state: "missed", reason: "x", settledAt: AT + HOUR });
    });
    expect(broken).toEqual(
      [
        "digest",
        "edited message",
        "cancelled message",
        "message deleted by a person",
        "message deleted after its event",
      ].map((kind) => `no ${kind} was seen`),
    );
    expect(verdictOnDemands([]).broken).toHaveLength(15);
  });
});
