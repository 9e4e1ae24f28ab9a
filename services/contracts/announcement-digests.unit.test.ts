import { describe, expect, test } from "@jest/globals";
import { completeDigest, dateOfDigest, digestId, digestProblems } from "./announcement-digests.ts";
import type { AnnouncementId } from "./ids.ts";

const DAILY = { calendarNumber: 1, frequency: "DAILY", time: "09:00" } as const;
const WEEKLY = { ...DAILY, frequency: "WEEKLY", weekday: "MO" } as const;

function fieldsWithProblems(fields: Parameters<typeof digestProblems>[0]): string[] {
  return digestProblems(fields).map(({ field, code }) => `${field} ${code}`);
}

describe("the fields of a digest (D65)", () => {
  test("a digest without its schedule, and a schedule without a digest, are refused by name", () => {
    expect(fieldsWithProblems({ type: "DIGEST" })).toEqual(["digest REQUIRED"]);
    expect(fieldsWithProblems({ type: "UNIVERSAL", digest: DAILY })).toEqual(["digest CONFLICTING"]);
    expect(fieldsWithProblems({ type: "UNIVERSAL" })).toEqual([]);
    expect(fieldsWithProblems({ type: "DIGEST", digest: DAILY })).toEqual([]);
  });

  test("a weekly digest has a weekday, and a daily one has none", () => {
    expect(fieldsWithProblems({ type: "DIGEST", digest: WEEKLY })).toEqual([]);
    expect(fieldsWithProblems({ type: "DIGEST", digest: { ...WEEKLY, weekday: undefined } })).toEqual([
      "digest.weekday REQUIRED",
    ]);
    expect(fieldsWithProblems({ type: "DIGEST", digest: { ...DAILY, weekday: "MO" } })).toEqual([
      "digest.weekday CONFLICTING",
    ]);
  });

  test("a digest has no lead time, offsets, template or clean-up, and accepts the zeros of a response", () => {
    const digest = { type: "DIGEST", digest: DAILY };
    expect(
      fieldsWithProblems({
        ...digest,
        hours: 0,
        minutes: 0,
        infoOnly: false,
        template: null,
        onChange: "KEEP",
        cleanUp: null,
      }),
    ).toEqual([]);
    const others = { hours: 1, minutes: 5, offsets: [], template: {}, cleanUp: 0, infoOnly: true, onChange: "EDIT" };
    expect(fieldsWithProblems({ ...digest, ...others })).toEqual(
      ["hours", "minutes", "offsets", "template", "cleanUp", "infoOnly", "onChange"].map(
        (field) => `${field} CONFLICTING`,
      ),
    );
  });

  test("a daily digest lists one day and a weekly one seven, unless it says otherwise", () => {
    expect(completeDigest({ ...DAILY, emptyText: "" })).toEqual({ ...DAILY, days: 1 });
    expect(completeDigest(WEEKLY)).toEqual({ ...WEEKLY, days: 7 });
    expect(completeDigest({ ...WEEKLY, days: 31, color: "RED", emptyText: "none" })).toEqual({
      ...WEEKLY,
      days: 31,
      color: "RED",
      emptyText: "none",
    });
  });

  test("the id of a digest has its date, and no event has such an id", () => {
    const id = digestId("3f0b8a52-8c4e-4c1d-9a55-0d8c4c9f7a10" as AnnouncementId, "2030-01-31");
    expect(id).toBe("d3f0b8a528c4e4c1d9a550d8c4c9f7a10_20300131");
    expect(dateOfDigest(id)).toBe("2030-01-31");
    expect(dateOfDigest("e7d4gbk2nq0sv51mhj8t3ofr6p_20300104T190000Z")).toBeUndefined();
  });
});
