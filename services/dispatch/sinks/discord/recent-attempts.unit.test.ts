import { describe, expect, test } from "@jest/globals";
import { recentAttempts } from "./recent-attempts.ts";

const body = (content: string) => ({ content, allowed_mentions: { parse: [] } });

describe("the attempts of unsettled parts", () => {
  test("have every sent version once", () => {
    const memory = recentAttempts();
    for (const content of ["a", "b", "a"]) memory.record("n", body(content));
    expect(memory.bodiesOf("n")).toEqual([body("a"), body("b")]);
  });

  test("have the sent versions and the refusal of the embed until the part is settled", () => {
    const memory = recentAttempts();
    memory.record("n", body("a"));
    memory.markEmbedRefused("n");
    memory.record("n", body("b"));
    expect([memory.isEmbedRefused("n"), memory.bodiesOf("n")]).toEqual([true, [body("a"), body("b")]]);
    memory.forget("n");
    expect([memory.isEmbedRefused("n"), memory.bodiesOf("n")]).toEqual([false, []]);
  });

  test("drop the oldest of too many parts", () => {
    const memory = recentAttempts();
    for (let at = 0; at <= 5_000; at += 1) memory.markEmbedRefused(`n${at}`);
    const refused = [memory.isEmbedRefused("n0"), memory.isEmbedRefused("n1"), memory.isEmbedRefused("n5000")];
    expect(refused).toEqual([false, true, true]);
  });
});
