import { describe, expect, test } from "@jest/globals";
import { lookupIn } from "./recent-messages.ts";

const NOW = Date.UTC(2026, 10, 21, 20);

function message(ageMinutes: number, more: object = {}) {
  return { id: "1", timestamp: new Date(NOW - ageMinutes * 60_000).toISOString(), author: {}, ...more };
}

function lookup(body: unknown, status = 200) {
  return lookupIn({ kind: "answered", status, headers: {}, body: JSON.stringify(body) }, "n1", NOW);
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

  test("what a bot said long ago can't be it", () => {
    expect(lookup([message(1), message(61, bot)])).toEqual({ kind: "absent" });
  });

  test("an empty list proves nothing: without the right to read history every list is empty", () => {
    expect(lookup([])).toEqual({ kind: "unreachable" });
  });

  test("a full page that does not reach back far enough proves nothing", () => {
    const page = Array.from({ length: 100 }, () => message(59));
    expect(lookup(page)).toEqual({ kind: "unreachable" });
    expect(lookup([...page.slice(1), message(61)])).toEqual({ kind: "absent" });
  });

  test.each([[[{}]], [[null]], [{}], ["x"], [null]])("what is not a list of messages proves nothing: %j", (body) => {
    expect(lookup(body)).toEqual({ kind: "unreachable" });
  });

  test("neither does a refusal, nor a lost answer", () => {
    expect(lookup([message(1)], 403)).toEqual({ kind: "unreachable" });
    expect(lookupIn({ kind: "unanswered", reason: "timed out", mayHaveArrived: true }, "n1", NOW)).toEqual({
      kind: "unreachable",
    });
  });
});
