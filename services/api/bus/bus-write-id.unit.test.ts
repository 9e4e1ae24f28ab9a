import { describe, expect, test } from "@jest/globals";
import { isWriteId, newWriteId, timeOfWriteId } from "../../../mixins/mongo/write-id.ts";
import type { WriteId } from "../../contracts/ids.ts";
import { ownWriteId } from "./bus-write-id.ts";

const given = newWriteId();
const now = timeOfWriteId(given);

describe("the id of a bus user's write", () => {
  test("follows from the user and the id that it gave, and keeps the time of that id", () => {
    const own = ownWriteId("shop-bot", given, now) as WriteId;
    expect([isWriteId(own), timeOfWriteId(own)]).toEqual([true, now]);
    expect(ownWriteId("shop-bot", given, now + 1_000)).toBe(own);
    expect(ownWriteId("shop-bot", given.toUpperCase(), now)).toBe(own);
  });

  test("is never the id that was given, which may be another caller's, nor another user's", () => {
    const ids = ["shop-bot", "shop-bo", "other"].map((name) => ownWriteId(name, given, now));
    expect(new Set([...ids, given]).size).toBe(4);
  });

  test("is made anew where none is given", () => {
    const [one, other] = [ownWriteId("shop-bot", undefined, now), ownWriteId("shop-bot", undefined, now)];
    expect([isWriteId(one), one === other]).toEqual([true, false]);
  });

  test.each<[unknown, number, string]>([
    ["1", now, "must be a UUID of version 7"],
    [null, now, "must be a UUID of version 7"],
    [{ toString: 1 }, now, "must be a UUID of version 7"],
    ["6b3e4b7a-7d7e-4d1e-8a1c-1f6f0a0c2b3d", now, "must be a UUID of version 7"],
    [given, now + 3_600_001, "must have been made within the last hour"],
    [given, now - 60_001, "must have been made within the last hour"],
  ])("is refused for %p", (id, at, message) => {
    expect(ownWriteId("shop-bot", id, at)).toEqual({
      refusal: "INVALID_REQUEST",
      problems: [{ field: "meta.writeId", code: "MALFORMED", message }],
    });
  });
});
