import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { parseJsonObject } from "./exact-json.ts";
import { ROUTES } from "../route-table.ts";
import { NO_FIELD } from "./no-field.ts";
import {
  asInteger,
  asEnumValue,
  decodeFields,
  field,
  guildField,
  guildsField,
  objectField,
  requestFields,
  wireNames,
  wirePath,
} from "./request-fields.ts";

const inner = objectField(
  "recurrence",
  { frequency: field("frequency", asEnumValue), count: field("count") },
  "absent",
);
const fields = requestFields({
  guildId: guildField,
  startsAt: field("epoch_start", asInteger),
  lang: field("lang", asEnumValue),
  twelveHour: NO_FIELD,
  recurrence: inner,
});

describe("the fields of a request", () => {
  test("become params without unknown fields (D6); unknown members of an object stay, for the check to refuse (D37)", () => {
    const body = { guild_id: "1", epoch_start: 5, is_parent: true, recurrence: { frequency: "daily", until: 1 } };
    expect(decodeFields(body, fields, "absent")).toEqual({
      guildId: "1",
      startsAt: 5,
      recurrence: { frequency: "DAILY", until: 1 },
    });
  });

  test("within an object are known only by their wire names, also in problems", () => {
    const members = { byDay: field("by_day"), count: field("count") };
    const nested = requestFields({ recurrence: objectField("recurrence", members, "absent") });
    const decoded = decodeFields({ recurrence: { by_day: [1], byDay: [2], count: 3 } }, nested, "absent");
    expect(decoded).toEqual({ recurrence: { byDay: [1], "?byDay": [2], count: 3 } });
    const names = new Map(wireNames(nested));
    const paths = ["recurrence.byDay[4]", "recurrence.?byDay", "recurrence.count", "recurrence"];
    expect(paths.map((path) => wirePath(path, names))).toEqual([
      "recurrence.by_day[4]",
      "recurrence.byDay",
      "recurrence.count",
      "recurrence",
    ]);
  });

  test("are absent if they are null in a create, and null elsewhere (D6)", () => {
    const body = { lang: null, recurrence: { frequency: "DAILY", count: null } };
    expect(decodeFields(body, fields, "absent")).toEqual({ recurrence: { frequency: "DAILY" } });
    expect(decodeFields(body, fields, "value")).toMatchObject({ lang: null });
  });

  test.each([
    [375357265198317579n, "375357265198317579"],
    [1, "1"],
    ["1", "1"],
    [1.5, 1.5],
    [3.7e17, 3.7e17],
    [null, null],
    [{}, {}],
  ])("convert the guild id %p to %p, alone and in a list (D7)", (given, read) => {
    expect(guildField.decode(given)).toEqual(read);
    expect(guildsField.decode(["2", given])).toEqual(["2", read]);
    expect(guildsField.decode("2")).toBe("2");
  });

  test.each([
    [10n ** 30n, 1e30],
    [10n ** 400n, Number.MAX_VALUE],
    [-Infinity, -Number.MAX_VALUE],
    [1.5, 1.5],
    ["1", "1"],
  ])("convert the integer %p to %p, which is out of range beyond 2^53", (given, read) => {
    expect(asInteger(given)).toBe(read);
  });

  test("with a number beyond all doubles are out of range, and an unknown field with such a number has no effect (D6)", () => {
    const update = ROUTES.find(({ paths }) => paths[0] === "/v1/announcement/update")!;
    const problemsOf = (more: string) => {
      const body = parseJsonObject(`{"guild_id":"1","id":"x",${more}}`) as Record<string, unknown>;
      return update.check(update.decode(body));
    };
    expect(problemsOf('"nonsense":1e400')).toEqual([]);
    expect(problemsOf('"hours":1e400,"minutes":-1e400,"info":1e400,"guild_id":1e400')).toMatchObject([
      { field: "guild_id", code: "WRONG_TYPE" },
      { field: "hours", code: "OUT_OF_RANGE" },
      { field: "minutes", code: "OUT_OF_RANGE" },
      { field: "info", code: "WRONG_TYPE" },
    ]);
  });

  test("refuse fractions as integers, however close to one they are (D7)", () => {
    const update = ROUTES.find(({ paths }) => paths[0] === "/v1/announcement/update")!;
    const text = '{"guild_id":9007199254740990.6,"id":"x","hours":1.00000000000000000001,"minutes":1e-400}';
    const problems = update.check(update.decode(parseJsonObject(text) as Record<string, unknown>));
    expect(problems).toEqual([
      { field: "guild_id", code: "WRONG_TYPE", message: expect.stringContaining("must be an integer from 1 to") },
      { field: "hours", code: "WRONG_TYPE", message: "must be an integer" },
      { field: "minutes", code: "WRONG_TYPE", message: "must be an integer" },
    ]);
  });

  test("convert enum values to upper case by their ASCII letters only (D10)", () => {
    expect(asEnumValue("mac_and_Cheese")).toBe("MAC_AND_CHEESE");
    expect(asEnumValue("engliſh")).toBe("ENGLIſH");
    expect(asEnumValue(5)).toBe(5);
  });

  test("do not compile when the table lacks a param", () => {
    interface Params {
      readonly guildId: string;
      readonly lang?: string;
    }
    // @ts-expect-error The param `lang` has no field.
    const lacking = requestFields<Params>({ guildId: guildField });
    const named = requestFields<Params>({ guildId: guildField, lang: NO_FIELD });
    expect(named).toEqual(lacking);
  });

  test("have no inherited values", () => {
    const body = Object.create({ guild_id: "1", lang: "ENGLISH" }) as Record<string, unknown>;
    expect(decodeFields(body, fields, "value")).toEqual({});
  });

  test("have their wire names in the paths of problems", () => {
    const wireOf = new Map([["subscribersRole", "subscribers_role"]]);
    expect(wirePath("subscribersRole[2]", wireOf)).toBe("subscribers_role[2]");
    expect(wirePath("recurrence.count", wireOf)).toBe("recurrence.count");
  });

  test.each(ROUTES.flatMap((route) => route.fields.map(({ wire }) => [route.paths[0], wire, route] as const)))(
    "refuse operators of the database as values: %s %s",
    (_path, wire, route) => {
      for (const value of [{ $ne: 1 }, { $gt: "" }, [{ $ne: 1 }]]) {
        const problems = route.check(route.decode({ [wire]: value }));
        expect(problems.map((problem) => problem.field.split(/[.[]/, 1)[0])).toContain(wire);
      }
    },
  );

  test("can be decoded and checked in any JSON, and problems name only fields of the route", () => {
    const names = ROUTES.flatMap((route) => route.fields.map(({ wire }) => wire));
    const bodies = fc.dictionary(
      fc.constantFrom(...names, "__proto__", "constructor", "x"),
      fc.jsonValue({ maxDepth: 3 }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...ROUTES), bodies, (route, body) => {
        const parsed = parseJsonObject(JSON.stringify(body)) as Record<string, unknown>;
        const wires = route.fields.map(({ wire }) => wire);
        for (const { field: path } of route.check(route.decode(parsed))) {
          expect(wires).toContain(path.split(/[.[]/, 1)[0]);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
