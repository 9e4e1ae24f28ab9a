import { describe, expect, test } from "@jest/globals";
import { paramsCheck } from "../../mixins/actions/check-params.ts";
import { createAnnouncement, updateAnnouncement } from "./announcements.contract.ts";

const rest = { guildId: "1", channel: "77", type: "UNIVERSAL", info: "" };

function problemsOfNew(times: object): [field: string, code: string][] {
  return paramsCheck(createAnnouncement)({ ...rest, ...times }).map(({ field, code }) => [field, code]);
}

describe("the times of a new announcement (D25, D54)", () => {
  test.each([
    ["a lead time", { hours: 1, minutes: 30 }],
    ["eight offsets", { offsets: Array.from({ length: 8 }, (_, at) => ({ anchor: "START", minutes: at })) }],
    ["every anchor", { offsets: ["START", "END", "CREATED", "CHANGED"].map((anchor) => ({ anchor, minutes: 0 })) }],
    ["the longest offsets", { offsets: [-527_040, 527_040].map((minutes) => ({ anchor: "END", minutes })) }],
    [
      "offsets with the lead time that a response has",
      { hours: 1, minutes: 30, offsets: [{ anchor: "START", minutes: -90 }] },
    ],
  ])("may be %s", (_, times) => {
    expect(problemsOfNew(times)).toEqual([]);
  });

  test.each([
    [
      "none",
      {},
      [
        ["hours", "REQUIRED"],
        ["minutes", "REQUIRED"],
      ],
    ],
    ["hours alone", { hours: 1 }, [["minutes", "REQUIRED"]]],
    ["no offset", { offsets: [] }, [["offsets", "TOO_SHORT"]]],
    [
      "nine offsets",
      { offsets: Array.from({ length: 9 }, (_, at) => ({ anchor: "START", minutes: at })) },
      [["offsets", "TOO_MANY"]],
    ],
    ["a text", { offsets: "START" }, [["offsets", "WRONG_TYPE"]]],
    ["an unknown anchor", { offsets: [{ anchor: "MIDDLE", minutes: 0 }] }, [["offsets[0].anchor", "NOT_ALLOWED"]]],
    [
      "an unknown member",
      { offsets: [{ anchor: "END", minutes: 0, hours: 1 }] },
      [["offsets[0].hours", "NOT_ALLOWED"]],
    ],
    [
      "minutes that are too far",
      { offsets: [{ anchor: "END", minutes: 527_041 }] },
      [["offsets[0].minutes", "OUT_OF_RANGE"]],
    ],
    [
      "minutes before the creation",
      { offsets: [{ anchor: "CREATED", minutes: -1 }] },
      [["offsets[0].minutes", "OUT_OF_RANGE"]],
    ],
    [
      "the same offset twice",
      {
        offsets: [
          { anchor: "END", minutes: 5 },
          { anchor: "START", minutes: 5 },
          { anchor: "END", minutes: 5 },
        ],
      },
      [["offsets[2]", "CONFLICTING"]],
    ],
    [
      "offsets with another lead time",
      { hours: 2, minutes: 0, offsets: [{ anchor: "START", minutes: -60 }] },
      [["hours", "CONFLICTING"]],
    ],
  ])("must not be %s", (_, times, problems) => {
    expect(problemsOfNew(times)).toEqual(problems);
  });

  test("are checked in an update as well, and may be absent there", () => {
    const check = (times: object) => paramsCheck(updateAnnouncement)({ guildId: "1", id: "a", ...times });
    expect(check({})).toEqual([]);
    expect(check({ hours: 1 })).toEqual([]);
    expect(check({ minutes: 1, offsets: [{ anchor: "END", minutes: 1 }] })).toMatchObject([{ field: "minutes" }]);
    expect(check({ offsets: null })).toMatchObject([{ field: "offsets", code: "WRONG_TYPE" }]);
  });
});
