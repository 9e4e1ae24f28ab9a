import { describe, expect, test } from "@jest/globals";
import { EditedPosts } from "../../../../test/fixtures/edited-posts.ts";
import { readShownOccurrence } from "../delivery/followed-state.ts";
import { requestChangedMessages } from "./changed-messages.ts";

/** Compares the messages of the guild, as a plan does. */
async function compare(guild: EditedPosts, maxEditedMessages = 10) {
  const { announcement, ports } = guild;
  const rules = announcement === null ? [] : [announcement];
  const { guildId } = guild.settings;
  await requestChangedMessages(ports, { maxEditedMessages }, guildId, rules, () => Promise.resolve(guild.settings));
}

const resting = { stepDue: undefined };

describe("a plan (D67)", () => {
  test("makes a step due for a sent message that shows another state, and for no other one", async () => {
    const guild = new EditedPosts();
    guild.sent("p", resting);
    await compare(guild);
    expect(guild.row().stepDue).toBeUndefined();
    guild.occurrence = { ...guild.occurrence!, name: "Later" };
    guild.now += 5;
    await compare(guild);
    expect(guild.row()).toMatchObject({ stepDue: true, wakeAt: guild.now, planRevision: 2 });
  });

  test.each([
    ["the announcement", (guild: EditedPosts) => (guild.announcement = { ...guild.announcement!, revision: 2 })],
    ["the settings", (guild: EditedPosts) => (guild.settings = { ...guild.settings, lang: "SPANISH" })],
    ["the existence of the event", (guild: EditedPosts) => (guild.occurrence = null)],
  ])("compares %s", async (_what, change) => {
    const guild = new EditedPosts();
    guild.sent("p", resting);
    change(guild);
    await compare(guild);
    expect(guild.row().stepDue).toBe(true);
  });

  test("leaves a step as it is that will read the state later, and not one that is under way", async () => {
    const guild = new EditedPosts();
    guild.sent("waits", { wakeAt: guild.now + 9_000 });
    guild.sent("under way", { owner: "them", wakeAt: guild.now + 6_000 });
    guild.occurrence = { ...guild.occurrence!, name: "Later" };
    await compare(guild);
    expect(guild.row("waits")).toMatchObject({ wakeAt: guild.now + 9_000, planRevision: 1 });
    expect(guild.row("under way")).toMatchObject({ wakeAt: guild.now + 6_000, planRevision: 2 });
  });

  test.each([
    ["is disabled", { enabled: false }],
    ["keeps its messages", { onChange: undefined }],
  ])("reads nothing of a guild whose announcement %s", async (_what, change) => {
    const guild = new EditedPosts();
    guild.sent("p", resting);
    const { onChange: _, ...kept } = guild.announcement!;
    guild.announcement = "onChange" in change ? kept : { ...guild.announcement!, ...change };
    guild.occurrence = null;
    await compare(guild);
    expect([guild.reads, guild.row().stepDue]).toEqual([0, undefined]);
  });

  test.each([
    ["keeps its messages", {}],
    ["is disabled", { enabled: false }],
  ])("compares a message that waits for its deletion if the announcement %s (D68)", async (_what, change) => {
    const guild = new EditedPosts();
    const { onChange: _, ...kept } = guild.announcement!;
    guild.announcement = { ...kept, cleanUp: 10, ...change };
    const { deleteAt } = guild.sent("p").message!;
    guild.sent("p", { wakeAt: deleteAt! });
    await compare(guild);
    expect(guild.row()).toMatchObject({ wakeAt: deleteAt, planRevision: 1 });
    guild.occurrence = { ...guild.occurrence!, endsAt: guild.occurrence!.endsAt + 5 };
    await compare(guild);
    expect(guild.row()).toMatchObject({ stepDue: true, wakeAt: guild.now, planRevision: 2 });
  });

  test("leaves a deletion as it is that is tried again later (D68)", async () => {
    const guild = new EditedPosts();
    guild.announcement = { ...guild.announcement!, cleanUp: 10 };
    const { deleteAt } = guild.sent("p").message!;
    guild.now = deleteAt! + 1;
    // A later end makes the row one that is compared.
    guild.sent("p", { wakeAt: guild.now + 9_000 }, { deleteAt, until: guild.now + 5 });
    guild.occurrence = { ...guild.occurrence!, name: "Later" };
    await compare(guild);
    expect(guild.row()).toMatchObject({ wakeAt: guild.now + 9_000, planRevision: 1 });
  });

  test("compares nothing after the end of the event", async () => {
    const guild = new EditedPosts();
    guild.sent("p", resting);
    guild.now = guild.occurrence!.endsAt;
    guild.occurrence = null;
    await compare(guild);
    expect(guild.row().stepDue).toBeUndefined();
  });

  test("reads an occurrence once for all of its messages", async () => {
    const guild = new EditedPosts();
    for (const id of ["one", "two", "three"]) guild.sent(id, resting);
    await compare(guild);
    expect(guild.reads).toBe(1);
  });

  test("drops the messages beyond the limit whose events end first, with a reason", async () => {
    const guild = new EditedPosts();
    const until = guild.occurrence!.endsAt;
    for (const [at, id] of ["soon", "later", "last"].entries()) guild.sent(id, resting, { until: until + at });
    guild.sent("soonest", { owner: "them" }, { until: until - 1 });
    await compare(guild, 2);
    expect(["soon", "later", "last", "soonest"].map((id) => guild.row(id).message !== undefined)).toEqual([
      false,
      true,
      true,
      true,
    ]);
    expect(guild.row("soon").steps).toMatchObject([
      { step: "DROPPED", reason: "the guild has more than 2 edited messages" },
    ]);
  });
});

describe("the occurrence of a sent message", () => {
  test.each([
    [
      "was split off into another series",
      { occurrenceId: "e2_1", eventId: "e2", follows: ["e1"], recurs: true },
      "e1_1",
    ],
    ["became one of a series", { occurrenceId: "e1_1", eventId: "e1", recurs: true }, "e1"],
    ["became a single event", { occurrenceId: "e1", eventId: "e1", recurs: false }, "e1_1"],
  ])("is found if it %s at the same start", async (_what, ids, former) => {
    const guild = new EditedPosts();
    const successor = { ...guild.occurrence!, ...ids } as NonNullable<EditedPosts["occurrence"]>;
    guild.sent("p", resting, { occurrenceId: former as never });
    Object.assign(guild.ports.owners, {
      occurrence: (_guildId: string, id: string) => Promise.resolve(id === ids.occurrenceId ? successor : null),
      occurrences: () => Promise.resolve({ occurrences: [successor], truncated: false }),
    });
    const { owners } = guild.ports;
    await expect(readShownOccurrence(owners, guild.settings.guildId, guild.row().message!)).resolves.toEqual(successor);
    const gone = { ...guild.row().message!, occurrenceId: "e9" as never };
    await expect(readShownOccurrence(owners, guild.settings.guildId, gone)).resolves.toBeNull();
  });
});
