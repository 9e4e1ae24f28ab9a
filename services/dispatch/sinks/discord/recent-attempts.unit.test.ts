import { describe, expect, test } from "@jest/globals";
import { recentAttempts } from "./recent-attempts.ts";

const body = (content: string) => ({ content, allowed_mentions: { parse: [] } });

describe("what is known of parts that are not settled", () => {
  test("every version that was sent, once", () => {
    const memory = recentAttempts();
    for (const content of ["a", "b", "a"]) memory.attempt("n", body(content));
    expect(memory.attemptsAt("n")).toEqual([body("a"), body("b")]);
  });

  test("a refused box and the attempts are kept side by side, until the part is settled", () => {
    const memory = recentAttempts();
    memory.attempt("n", body("a"));
    memory.refuseBox("n");
    memory.attempt("n", body("b"));
    expect([memory.isBoxRefused("n"), memory.attemptsAt("n")]).toEqual([true, [body("a"), body("b")]]);
    memory.forget("n");
    expect([memory.isBoxRefused("n"), memory.attemptsAt("n")]).toEqual([false, []]);
  });

  test("of too many parts the oldest is forgotten", () => {
    const memory = recentAttempts();
    for (let at = 0; at <= 5_000; at += 1) memory.refuseBox(`n${at}`);
    const refused = [memory.isBoxRefused("n0"), memory.isBoxRefused("n1"), memory.isBoxRefused("n5000")];
    expect(refused).toEqual([false, true, true]);
  });
});
