import { describe, expect, test } from "@jest/globals";
import type { MessageBody } from "../../../contracts/dispatch.contract.ts";
import { emptyListLookup, findSentMessage } from "./recent-messages.ts";

const NOW = Date.UTC(2026, 10, 21, 20);

/** A body without a time. */
const WITHOUT_TIME: MessageBody = { embeds: [{ title: "🎉", color: 1 }], allowed_mentions: { parse: [] } };

function message(ageMinutes: number, more: object = {}) {
  return { id: "1", timestamp: new Date(NOW - ageMinutes * 60_000).toISOString(), author: {}, ...more };
}

function lookup(
  body: unknown,
  {
    status = 200,
    date = new Date(NOW).toUTCString(),
    sent = [WITHOUT_TIME],
    author = undefined as string | undefined,
  } = {},
) {
  const response = { kind: "response", status, headers: { date }, body: JSON.stringify(body) } as const;
  return findSentMessage(response, { nonce: "n1", versions: sent, triedMsAgo: 20 * 60_000, author });
}

const bot = { author: { bot: true } };

describe("the search in a channel's latest messages", () => {
  test("finds the message with the nonce", () => {
    expect(lookup([message(1, bot), message(2, { ...bot, id: "7", nonce: "n1" })])).toEqual({
      kind: "found",
      messageId: "7",
    });
  });

  test("proves absence among messages of people and of bots with other nonces", () => {
    expect(lookup([message(1), message(2, { ...bot, nonce: "n2" })])).toEqual({ kind: "absent" });
  });

  test("proves nothing if a bot's message has no nonce", () => {
    expect(lookup([message(1), message(2, bot)])).toEqual({ kind: "unreachable" });
  });

  test("ignores messages from before the first attempt", () => {
    expect(lookup([message(1), message(21, bot)])).toEqual({ kind: "absent" });
    expect(lookup([message(1), message(20, bot)])).toEqual({ kind: "unreachable" });
  });

  test("ignores messages of other bots if the own id is known", () => {
    const other = { author: { bot: true, id: "8" } };
    expect(lookup([message(1, other)], { author: "7" })).toEqual({ kind: "absent" });
    expect(lookup([message(1, other)], { author: "8" })).toEqual({ kind: "unreachable" });
  });

  test("proves nothing by another text with the same ids if a template shows no start (D61)", () => {
    const embed = (title: string, ids = "a1 e1") => ({ title, color: 1, footer: { text: `Announcement · ${ids}` } });
    const sent: MessageBody[] = [{ embeds: [embed("Raid")], allowed_mentions: { parse: [] } }];
    const listed = (...embeds: object[]) => embeds.map((each) => message(1, { ...bot, embeds: [each] }));
    expect(lookup(listed(embed("Raid")), { sent })).toMatchObject({ kind: "found" });
    expect(lookup(listed(embed("Raids")), { sent })).toEqual({ kind: "unreachable" });
    expect(lookup(listed(embed("Raid", "a1 e2")), { sent })).toEqual({ kind: "absent" });
  });

  test("proves absence by an empty list only if the bot may read the history", () => {
    expect(lookup([])).toEqual({ kind: "empty" });
    expect(emptyListLookup(["EMBED_LINKS"])).toEqual({ kind: "absent" });
    expect(emptyListLookup(["READ_MESSAGE_HISTORY"])).toMatchObject({ kind: "unreachable" });
    expect(emptyListLookup(["VIEW_CHANNEL"])).toMatchObject({ kind: "unreachable" });
    expect(emptyListLookup(undefined)).toEqual({ kind: "unreachable" });
  });

  test("proves nothing by a full page that does not reach back far enough", () => {
    const page = Array.from({ length: 100 }, () => message(19));
    expect(lookup(page)).toEqual({ kind: "unreachable" });
    expect(lookup([...page.slice(1), message(22)])).toEqual({ kind: "absent" });
  });

  test.each([[[{}]], [[null]], [{}], ["x"], [null]])(
    "proves nothing by a body that is no list of messages: %j",
    (body) => {
      expect(lookup(body)).toEqual({ kind: "unreachable" });
    },
  );

  test("proves nothing by a refusal or without a response", () => {
    expect(lookup([message(1)], { status: 403 })).toEqual({ kind: "unreachable" });
    const sought = { nonce: "n1", versions: [WITHOUT_TIME], triedMsAgo: 0, author: undefined };
    expect(findSentMessage({ kind: "noResponse", reason: "timed out", mayHaveArrived: true }, sought)).toEqual({
      kind: "unreachable",
    });
  });

  test("proves nothing if the response or a message has no time", () => {
    expect(lookup([message(1)], { date: "" })).toEqual({ kind: "unreachable" });
    expect(lookup([message(1), { ...message(1), timestamp: "yesterday" }])).toEqual({ kind: "unreachable" });
  });
});

describe("the search for a post with known text", () => {
  const time = { name: "Starts", value: "8:00 PM <t:1795287600:F>", inline: true };
  const body: MessageBody = {
    embeds: [{ title: "Raid night!", color: 1, fields: [time] }],
    allowed_mentions: { parse: [] },
  };
  const sent = [body];
  const shown = (embed: object) => ({ ...bot, content: "", embeds: [{ type: "rich", ...embed }] });
  const ours = { title: " Raid  night! ", fields: [time] };

  test("finds the post by its letters and digits", () => {
    expect(lookup([message(1), message(9, { ...shown(ours), id: "7" })], { sent })).toEqual({
      kind: "found",
      messageId: "7",
    });
  });

  test("proves absence beside other posts of bots", () => {
    expect(lookup([message(1, shown({ title: "Other" })), message(2, { ...bot, content: "hi" })], { sent })).toEqual({
      kind: "absent",
    });
  });

  test("proves nothing if a message begins alike, which may be another version", () => {
    expect(lookup([message(1, shown({ title: "Raid night" }))], { sent })).toEqual({ kind: "unreachable" });
  });

  test("proves nothing if a message shows the same time, which may be from before a renaming", () => {
    expect(lookup([message(1, shown({ title: "Renamed", fields: [time] }))], { sent })).toEqual({
      kind: "unreachable",
    });
  });

  test("compares every sent version", () => {
    const edited = { ...body, embeds: [{ title: "Moved", color: 1, fields: [time] }] };
    const both = [body, edited];
    expect(lookup([message(1, shown(ours))], { sent: both })).toMatchObject({ kind: "found" });
    expect(lookup([message(1, shown({ title: "Moved", fields: [time] }))], { sent: both })).toMatchObject({
      kind: "found",
    });
  });

  test("proves nothing by an equal text without the event's time, which may be about another occurrence", () => {
    const mentions = { content: "Subscribers: <@1>", allowed_mentions: { parse: [] } };
    const twin = { ...bot, content: "Subscribers: <@1>" };
    expect(lookup([message(1, twin)], { sent: [mentions] })).toEqual({ kind: "unreachable" });
    expect(lookup([message(1, { ...bot, content: "<@2>" })], { sent: [mentions] })).toEqual({
      kind: "absent",
    });
  });

  test("proves nothing for an embed without the event's time, whose earlier versions may have any text", () => {
    const info = { ...body, embeds: [{ title: "Raid night", color: 1, description: "Bring food" }] };
    expect(lookup([message(1, shown({ title: "Other" }))], { sent: [info] })).toEqual({ kind: "unreachable" });
  });

  test("finds the post by ids and start in any version and language, and distinguishes other posts", () => {
    const footed = (ids: string, more: object = {}) => ({
      title: "Other",
      fields: [time],
      footer: { text: ids },
      ...more,
    });
    const withIds = [{ ...body, embeds: [{ ...body.embeds![0]!, footer: { text: "Announcement a-1 · Event e1" } }] }];
    const look = (embed: object) => lookup([message(1, shown(embed))], { sent: withIds }).kind;
    expect(look(footed("Anuncio a-1 · Evento e1"))).toBe("found");
    expect(look(footed("Announcement a-2 · Event e1"))).toBe("absent");
    expect(look(footed("Announcement a-1 · Event e1", { fields: [] }))).toBe("absent");
    expect(look(footed("", {}))).toBe("unreachable");
  });

  test("prefers a shown nonce to the text", () => {
    expect(lookup([message(1, { ...shown(ours), nonce: "n2" })], { sent })).toEqual({ kind: "absent" });
  });
});
