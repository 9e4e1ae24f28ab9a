import { describe, expect, test } from "@jest/globals";
import type { MessageBody } from "../../../contracts/dispatch.contract.ts";
import { emptyListLookup, findSentMessage } from "./recent-messages.ts";

const NOW = Date.UTC(2026, 10, 21, 20);

/** A text that could stand in any message. */
const UNTOLD: MessageBody = { embeds: [{ title: "🎉", color: 1 }], allowed_mentions: { parse: [] } };

function message(ageMinutes: number, more: object = {}) {
  return { id: "1", timestamp: new Date(NOW - ageMinutes * 60_000).toISOString(), author: {}, ...more };
}

function lookup(
  body: unknown,
  { status = 200, date = new Date(NOW).toUTCString(), sent = [UNTOLD], author = undefined as string | undefined } = {},
) {
  const answer = { kind: "answered", status, headers: { date }, body: JSON.stringify(body) } as const;
  return findSentMessage(answer, { nonce: "n1", versions: sent, triedMsAgo: 20 * 60_000, author });
}

const bot = { author: { bot: true } };

describe("looking for a post among a channel's latest messages", () => {
  test("the message with the nonce is found", () => {
    expect(lookup([message(1, bot), message(2, { ...bot, id: "7", nonce: "n1" })])).toEqual({
      kind: "found",
      messageId: "7",
    });
  });

  test("it is absent when only people, or bots whose nonces are shown, have spoken", () => {
    expect(lookup([message(1), message(2, { ...bot, nonce: "n2" })])).toEqual({ kind: "absent" });
  });

  test("a bot's message without a nonce could be the one: nothing is proved", () => {
    expect(lookup([message(1), message(2, bot)])).toEqual({ kind: "unreachable" });
  });

  test("what a bot said before it was first tried can't be it", () => {
    expect(lookup([message(1), message(21, bot)])).toEqual({ kind: "absent" });
    expect(lookup([message(1), message(20, bot)])).toEqual({ kind: "unreachable" });
  });

  test("nor what another bot said, when it is known who we are", () => {
    const other = { author: { bot: true, id: "8" } };
    expect(lookup([message(1, other)], { author: "7" })).toEqual({ kind: "absent" });
    expect(lookup([message(1, other)], { author: "8" })).toEqual({ kind: "unreachable" });
  });

  test("an empty list proves that it is absent where the bot may read history, and nothing elsewhere", () => {
    expect(lookup([])).toEqual({ kind: "empty" });
    expect(emptyListLookup(["EMBED_LINKS"])).toEqual({ kind: "absent" });
    expect(emptyListLookup(["READ_MESSAGE_HISTORY"])).toMatchObject({ kind: "unreachable" });
    expect(emptyListLookup(["VIEW_CHANNEL"])).toMatchObject({ kind: "unreachable" });
    expect(emptyListLookup(undefined)).toEqual({ kind: "unreachable" });
  });

  test("a full page that does not reach back far enough proves nothing", () => {
    const page = Array.from({ length: 100 }, () => message(19));
    expect(lookup(page)).toEqual({ kind: "unreachable" });
    expect(lookup([...page.slice(1), message(22)])).toEqual({ kind: "absent" });
  });

  test.each([[[{}]], [[null]], [{}], ["x"], [null]])("what is not a list of messages proves nothing: %j", (body) => {
    expect(lookup(body)).toEqual({ kind: "unreachable" });
  });

  test("neither does a refusal, nor a lost answer", () => {
    expect(lookup([message(1)], { status: 403 })).toEqual({ kind: "unreachable" });
    const sought = { nonce: "n1", versions: [UNTOLD], triedMsAgo: 0, author: undefined };
    expect(findSentMessage({ kind: "unanswered", reason: "timed out", mayHaveArrived: true }, sought)).toEqual({
      kind: "unreachable",
    });
  });

  test("an answer without a time, or an entry without one, proves nothing", () => {
    expect(lookup([message(1)], { date: "" })).toEqual({ kind: "unreachable" });
    expect(lookup([message(1), { ...message(1), timestamp: "yesterday" }])).toEqual({ kind: "unreachable" });
  });
});

describe("looking for a post whose text is known", () => {
  const time = { name: "Starts", value: "8:00 PM <t:1795287600:F>", inline: true };
  const body: MessageBody = {
    embeds: [{ title: "Raid night!", color: 1, fields: [time] }],
    allowed_mentions: { parse: [] },
  };
  const sent = [body];
  const shown = (embed: object) => ({ ...bot, content: "", embeds: [{ type: "rich", ...embed }] });
  const ours = { title: " Raid  night! ", fields: [time] };

  test("it is found by its letters and digits", () => {
    expect(lookup([message(1), message(9, { ...shown(ours), id: "7" })], { sent })).toEqual({
      kind: "found",
      messageId: "7",
    });
  });

  test("other posts of bots don't hide that it is absent", () => {
    expect(lookup([message(1, shown({ title: "Other" })), message(2, { ...bot, content: "hi" })], { sent })).toEqual({
      kind: "absent",
    });
  });

  test("one that begins alike could be it, changed", () => {
    expect(lookup([message(1, shown({ title: "Raid night" }))], { sent })).toEqual({ kind: "unreachable" });
  });

  test("one about the same time could be it, from before its event was renamed", () => {
    expect(lookup([message(1, shown({ title: "Renamed", fields: [time] }))], { sent })).toEqual({
      kind: "unreachable",
    });
  });

  test("each version that was sent counts", () => {
    const edited = { ...body, embeds: [{ title: "Moved", color: 1, fields: [time] }] };
    const both = [body, edited];
    expect(lookup([message(1, shown(ours))], { sent: both })).toMatchObject({ kind: "found" });
    expect(lookup([message(1, shown({ title: "Moved", fields: [time] }))], { sent: both })).toMatchObject({
      kind: "found",
    });
  });

  test("a text without the event's time could stand for another occurrence: equal proves nothing", () => {
    const mentions = { content: "Subscribers: <@1>", allowed_mentions: { parse: [] } };
    const twin = { ...bot, content: "Subscribers: <@1>" };
    expect(lookup([message(1, twin)], { sent: [mentions] })).toEqual({ kind: "unreachable" });
    expect(lookup([message(1, { ...bot, content: "<@2>" })], { sent: [mentions] })).toEqual({
      kind: "absent",
    });
  });

  test("a box without its event's time tells nothing: an earlier version may have said anything", () => {
    const info = { ...body, embeds: [{ title: "Raid night", color: 1, description: "Bring food" }] };
    expect(lookup([message(1, shown({ title: "Other" }))], { sent: [info] })).toEqual({ kind: "unreachable" });
  });

  test("the ids in a footer and the start tell it in any version and language, and tell others from it", () => {
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

  test("a nonce that is shown outweighs the text", () => {
    expect(lookup([message(1, { ...shown(ours), nonce: "n2" })], { sent })).toEqual({ kind: "absent" });
  });
});
