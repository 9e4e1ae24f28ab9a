import { describe, expect, test } from "@jest/globals";
import {
  deliveriesAfterEnd,
  lostWrites,
  problemsOfDeliveries,
  problemsOfReading,
  type SeenChange,
  type SeenDelivery,
  type StoredRecord,
} from "./changes-verdict.ts";

const AT = 1_900_000_000_000;
const record = (revision: number, more: Partial<StoredRecord> = {}): StoredRecord => ({
  revision,
  deleted: false,
  isDelivered: true,
  ...more,
});
const STORED = new Map([
  ["event/a", record(1)],
  ["event/b", record(3)],
  ["event/c", record(2, { deleted: true })],
]);
const seen = (id: string, revision: number, more: Partial<SeenChange> = {}): SeenChange => ({
  kind: "event",
  id,
  revision,
  deleted: false,
  changed: AT,
  ...more,
});
const GONE = seen("c", 2, { deleted: true });
const delivery = (id: string, revision: number, more: Partial<SeenDelivery> = {}): SeenDelivery => ({
  deliveryId: `${id}.${revision}`,
  kind: "event",
  id,
  revision,
  type: revision === 1 ? "event.created" : "event.updated",
  bodyDigest: `${id}.${revision}`,
  isSigned: true,
  status: 200,
  at: 0,
  ...more,
});
const ALL = [delivery("a", 1), delivery("b", 1), delivery("b", 3), delivery("c", 2, { type: "event.deleted" })];

describe("the verdict on changes", () => {
  test("accepts each newest revision once, with or without the ones before", () => {
    expect(problemsOfReading(STORED, [seen("a", 1), seen("b", 1), seen("b", 3), GONE])).toEqual({});
    expect(problemsOfReading(STORED, [GONE, seen("b", 3), seen("a", 1)])).toEqual({});
  });

  test.each<[string, SeenChange[], Record<string, number>]>([
    ["a record that is missing", [seen("b", 3), GONE], { missing: 1 }],
    ["a newest revision that is missing", [seen("a", 1), seen("b", 2), GONE], { missing: 1 }],
    ["a deletion that is missing", [seen("a", 1), seen("b", 3), seen("c", 2)], { missing: 1 }],
    ["a revision that is there twice", [seen("a", 1), seen("a", 1), seen("b", 3), GONE], { repeated: 1 }],
    ["an earlier revision", [seen("a", 1), seen("b", 3), seen("b", 2), GONE], { repeated: 1, missing: 1 }],
    ["a record that nobody wrote", [seen("a", 1), seen("b", 3), GONE, seen("z", 1)], { unknown: 1 }],
    [
      "a change after one that is more than ten seconds later",
      [seen("a", 1, { changed: AT + 10_001 }), seen("b", 3), { ...GONE, changed: AT + 1 }],
      { "out of order": 1 },
    ],
  ])("finds %s", (_, changes, problems) => {
    expect(problemsOfReading(STORED, changes)).toEqual(problems);
  });

  test("accepts a delivery that is repeated before the next one of its record", () => {
    expect(problemsOfDeliveries(STORED, [ALL[0]!, ALL[1]!, ...ALL])).toEqual({});
  });

  test.each<[string, SeenDelivery[], Record<string, number>]>([
    ["a delivery that is missing", ALL.slice(1), { missing: 1 }],
    ["a delivery that was only refused", [{ ...ALL[0]!, status: 500 }, ...ALL.slice(1)], { missing: 1 }],
    ["an earlier revision after a later one", [...ALL, ALL[1]!], { backward: 1 }],
    ["a delivery without a valid signature", [...ALL, { ...ALL[3]!, isSigned: false }], { unsigned: 1 }],
    ["another body of the same delivery", [...ALL, { ...ALL[3]!, bodyDigest: "z" }], { "with another body": 1 }],
    ["an event that is updated before its creation", [ALL[0]!, ...ALL.slice(2)], { "not created first": 1 }],
  ])("finds %s", (_, deliveries, problems) => {
    expect(problemsOfDeliveries(STORED, deliveries)).toEqual(problems);
  });

  test("needs no delivery of a record that no type reports", () => {
    const stored = new Map([...STORED, ["announcement/n", record(1, { isDelivered: false })]]);
    expect(problemsOfDeliveries(stored, ALL)).toEqual({});
  });

  test("allows four attempts after the end of a webhook, for ten seconds", () => {
    const after = (count: number, at: number) => Array.from({ length: count }, () => delivery("a", 1, { at }));
    expect(deliveriesAfterEnd([...after(9, 99), ...after(4, 200)], 100)).toEqual({});
    expect(deliveriesAfterEnd(after(5, 200), 100)).toEqual({ "after the end": 1 });
    expect(deliveriesAfterEnd(after(1, 10_101), 100)).toEqual({ "after the end": 1 });
  });

  test("finds a record that is stored with fewer writes than were acknowledged", () => {
    expect(lostWrites(STORED, new Map([["event/b", 3]]))).toBe(0);
    expect(
      lostWrites(
        STORED,
        new Map([
          ["event/b", 4],
          ["event/z", 1],
        ]),
      ),
    ).toBe(2);
  });
});
