import { describe, expect, test } from "@jest/globals";
import { traceIdIn, childTraceparent } from "./trace-context.ts";

const ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const GIVEN = `00-${ID}-00f067aa0ba902b7-01`;

describe("the trace context of a request (W3C Trace Context 3.2)", () => {
  test.each([
    ["version 00", GIVEN],
    ["a later version", `cc-${ID}-00f067aa0ba902b7-01`],
    ["a later version that goes on", `cc-${ID}-00f067aa0ba902b7-01-more`],
  ])("continues the trace of %s, with a new parent id", (_what, header) => {
    const traceparent = childTraceparent(header);
    expect(traceparent).toMatch(new RegExp(`^00-${ID}-[0-9a-f]{16}-01$`));
    expect(traceparent).not.toContain("00f067aa0ba902b7");
    expect(traceIdIn(traceparent)).toBe(ID);
  });

  test('keeps the flag "sampled" and no unknown flag', () => {
    expect(childTraceparent(`00-${ID}-00f067aa0ba902b7-00`)).toMatch(/-00$/);
    expect(childTraceparent(`00-${ID}-00f067aa0ba902b7-fe`)).toMatch(/-00$/);
  });

  test.each([
    ["none", undefined],
    ["an empty one", ""],
    ["version ff", `ff-${ID}-00f067aa0ba902b7-01`],
    ["version 00 that goes on", `${GIVEN}-more`],
    ["a trace id of zeros", `00-${"0".repeat(32)}-00f067aa0ba902b7-01`],
    ["a parent id of zeros", `00-${ID}-${"0".repeat(16)}-01`],
    ["capitals", GIVEN.toUpperCase()],
    ["two headers in one", `${GIVEN},${GIVEN}`],
    ["a line break", `${GIVEN}\n`],
  ])("starts a trace if the header is %s", (_what, header) => {
    const [first, second] = [childTraceparent(header), childTraceparent(header)];
    expect(first).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(traceIdIn(first)).not.toBe(ID);
    expect(first).not.toBe(second);
  });

  test("a call without a request has none", () => {
    expect(traceIdIn(undefined)).toBeUndefined();
  });
});
