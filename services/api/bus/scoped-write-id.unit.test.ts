import { describe, expect, test } from "@jest/globals";
import { isWriteId, newWriteId, timeOfWriteId } from "../../../mixins/mongo/write-id.ts";
import type { WriteId } from "../../contracts/ids.ts";
import { scopedWriteId } from "./scoped-write-id.ts";

const given = newWriteId();
const now = timeOfWriteId(given);

describe("the write id of a bus user", () => {
  test("is derived from the user and the user's id, and keeps the time of that id", () => {
    const own = scopedWriteId("shop-bot", given, now) as WriteId;
    expect([isWriteId(own), timeOfWriteId(own)]).toEqual([true, now]);
    expect(scopedWriteId("shop-bot", given, now + 1_000)).toBe(own);
    expect(scopedWriteId("shop-bot", given.toUpperCase(), now)).toBe(own);
  });

  test("differs from the user's id, which may belong to another caller, and from that of another user", () => {
    const ids = ["shop-bot", "shop-bo", "other"].map((name) => scopedWriteId(name, given, now));
    expect(new Set([...ids, given]).size).toBe(4);
  });

  test("is a new one if the user gives none", () => {
    const [one, other] = [scopedWriteId("shop-bot", undefined, now), scopedWriteId("shop-bot", undefined, now)];
    expect([isWriteId(one), one === other]).toEqual([true, false]);
  });

  test.each<[unknown, number, string]>([
    ["1", now, "must be a UUID of version 7"],
    [null, now, "must be a UUID of version 7"],
    [{ toString: 1 }, now, "must be a UUID of version 7"],
    ["6b3e4b7a-7d7e-4d1e-8a1c-1f6f0a0c2b3d", now, "must be a UUID of version 7"],
    [given, now + 3_600_001, "must have been created within the last hour"],
    [given, now - 60_001, "must have been created within the last hour"],
  ])("is refused for %p", (id, at, message) => {
    expect(scopedWriteId("shop-bot", id, at)).toEqual({
      refusal: "INVALID_REQUEST",
      problems: [{ field: "meta.writeId", code: "MALFORMED", message }],
    });
  });
});
