import { describe, expect, test } from "@jest/globals";
import { verdictOn } from "./verdict.ts";

const one = { channel: "1", eventId: "e1", title: "a", dueAt: 1_000 };
const other = { channel: "1", eventId: "e2", title: "b", dueAt: 2_000 };
const seen = (title: string, receivedAt: number) => ({ channel: "1", title, receivedAt });

describe("the verdict on a run", () => {
  test("counts posts with one message each as due and sent, with the worst lateness", () => {
    const messages = [seen("a", 1_004), seen("b", 2_030)];
    expect(verdictOn([one, other], messages, [])).toEqual({
      due: 2,
      sent: 2,
      doubled: 0,
      lost: 0,
      unexplained: 0,
      early: 0,
      worstMs: 30,
    });
  });

  test("finds a planted double, an early message, a message of no expected post, and a lost post", () => {
    expect(verdictOn([one], [seen("a", 1_001), seen("a", 1_002)], [])).toMatchObject({ sent: 1, doubled: 1 });
    expect(verdictOn([one], [seen("a", 999)], [])).toMatchObject({ early: 1 });
    expect(verdictOn([one], [seen("a", 1_000), seen("x", 1_000)], [])).toMatchObject({ early: 1 });
    expect(verdictOn([one, other], [seen("a", 1_000)], [])).toMatchObject({ sent: 1, lost: 1 });
  });

  test("finds a late post without a reason code", () => {
    const outcome = { channel: "1", eventId: "e1", state: "sent" as const };
    const judged = (lateMs: number, reasonCode?: string) =>
      verdictOn([one], [seen("a", 1_004)], [{ ...outcome, lateMs, ...(reasonCode && { reasonCode }) }]).unexplained;
    expect([judged(5_000), judged(5_001), judged(5_001, "OTHER"), judged(5_001, "DATABASE")]).toEqual([0, 1, 1, 0]);
  });

  test("accepts a reason for an unsent post, except if the history says that it was sent", () => {
    const outcome = { channel: "1", eventId: "e1" };
    expect(verdictOn([one], [], [{ ...outcome, state: "missed", reason: "why" }])).toMatchObject({ sent: 0, lost: 0 });
    expect(verdictOn([one], [], [{ ...outcome, state: "missed" }])).toMatchObject({ lost: 1 });
    expect(verdictOn([one], [], [{ ...outcome, state: "sent", reason: "why" }])).toMatchObject({ lost: 1 });
  });
});
