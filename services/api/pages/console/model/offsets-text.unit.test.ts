import { describe, expect, test } from "@jest/globals";
import { OFFSET_ANCHORS } from "../../../../contracts/announcement-offsets.ts";
import { offsetsIn, offsetsText } from "./offsets-text.js";

describe("the offsets of an announcement as a text (D54)", () => {
  test("are read as they are written, with every anchor", () => {
    const offsets = OFFSET_ANCHORS.map((anchor, at) => ({ anchor, minutes: at * 30 - 30 }));
    expect(offsetsText(offsets)).toBe("START -30, END 0, CREATED 30, CHANGED 60");
    expect(offsetsIn(offsetsText(offsets))).toEqual(offsets);
    expect([offsetsText(), offsetsIn(" , ")]).toEqual(["", []]);
  });

  test("count from the start without an anchor, in any case and spacing", () => {
    expect(offsetsIn("-1440,  end   +15 ,\u221210")).toEqual([
      { anchor: "START", minutes: -1440 },
      { anchor: "END", minutes: 15 },
      { anchor: "START", minutes: -10 },
    ]);
  });

  test("that are none are sent for the service to refuse them, and none is left out", () => {
    expect(JSON.parse(JSON.stringify(offsetsIn("END soon, START, a day before")))).toEqual([
      { anchor: "END", minutes: null },
      { anchor: "START", minutes: null },
      { anchor: "A", minutes: null },
    ]);
  });
});
