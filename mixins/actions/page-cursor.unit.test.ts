import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { comparePositions, pageCursors } from "./page-cursor.ts";

type Position = readonly [at: number, id: string];

const cursors = pageCursors<Position>("events", [0, ""]);
const anyPosition = fc.tuple(fc.maxSafeInteger(), fc.string({ unit: "binary" })) as fc.Arbitrary<Position>;
const refused = {
  refusal: "INVALID_REQUEST",
  problems: [{ field: "cursor", code: "MALFORMED", message: "must be the next of an earlier response of this list" }],
};
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("the cursors of a list", () => {
  test("have the position that they were written for", () => {
    fc.assert(
      fc.property(anyPosition, (position) => {
        const [at, id] = position;
        fc.pre(id.isWellFormed());
        expect(cursors.read(cursors.write(position))).toEqual([at === 0 ? 0 : at, id]);
      }),
    );
    expect(cursors.read(undefined)).toBeUndefined();
  });

  test("are the only texts that the list accepts: any other one is refused with the name of the field", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(cursors.read(text)).toEqual(refused);
      }),
    );
  });

  test.each([
    ["of another list", encoded([1, "search", 5, "e"])],
    ["of another version", encoded([2, "events", 5, "e"])],
    ["without an id", encoded([1, "events", 5])],
    ["with more", encoded([1, "events", 5, "e", 6])],
    ["with a text for a number", encoded([1, "events", "5", "e"])],
    ["with a number for a text", encoded([1, "events", 5, 6])],
    ["with an object for a text", encoded([1, "events", 5, { $gt: "" }])],
    ["with a fraction", encoded([1, "events", 5.5, "e"])],
    ["with a number beyond all numbers", Buffer.from('[1,"events",1e999,"e"]').toString("base64url")],
    ["with a space", Buffer.from('[1, "events",5,"e"]').toString("base64url")],
    ["with other base64", `${encoded([1, "events", 5, "e"])}=`],
    ["that is no list", encoded({ length: 2 })],
  ])("are not what a client has made itself: %s", (_, text) => {
    expect(cursors.read(text)).toEqual(refused);
  });

  test("are in the order of their positions: by number, then by text as the database compares ids", () => {
    const positions: Position[] = [
      [2, "a"],
      [1, "b"],
      [1, "a_2"],
      [1, "a"],
      [-3, "z"],
    ];
    expect(positions.toSorted(comparePositions)).toEqual(positions.toReversed());
    expect(comparePositions([1, "a"], [1, "a"])).toBe(0);
  });
});
