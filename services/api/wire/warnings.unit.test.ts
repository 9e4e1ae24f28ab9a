import { describe, expect, test } from "@jest/globals";
import { LAST_EPOCH_MS } from "../../contracts/ids.ts";
import { ROUTES } from "../route-table.ts";
import type { RequestField } from "./request-fields.ts";
import type { Warning } from "./warnings.ts";

function warningsOf(path: string, body: Readonly<Record<string, unknown>>): readonly Warning[] {
  const route = ROUTES.find(({ paths }) => paths[0] === path)!;
  return route.warnings(body, route.decode(body));
}

/** The names of the fields that are marked as times. */
function markedTimes(fields: readonly RequestField[]): string[] {
  return fields.flatMap(({ wire, isTime, fields: members = [] }) => [
    ...(isTime === true ? [wire] : []),
    ...markedTimes(members),
  ]);
}

/** The names of the fields that are times, or lists of them, by the rules of their params. */
function timesOf(fields: readonly RequestField[], rules: Readonly<Record<string, unknown>>): string[] {
  return fields.flatMap(({ wire, param, fields: members = [] }) => {
    const { max, item, items, props = items?.props ?? {} } = rules[param] as Partial<Rule>;
    return [...((item?.max ?? max) === LAST_EPOCH_MS ? [wire] : []), ...timesOf(members, props)];
  });
}

interface Rule {
  readonly max: number;
  readonly item: Partial<Rule>;
  readonly items: Partial<Rule>;
  readonly props: Readonly<Record<string, unknown>>;
}

const event = { guild_id: "1", calendar_number: 1, epoch_start: 1_544_299_200_000, epoch_end: 1_544_299_200_000 };

describe("the warnings about a successful request (D37)", () => {
  test.each(ROUTES.map((route) => [route.paths[0], route] as const))(
    "do not exist for the example of %s",
    (_path, route) => {
      expect(route.warnings(route.example.request, route.decode(route.example.request))).toEqual([]);
    },
  );

  test("name an unknown field and suggest the nearest field", () => {
    expect(warningsOf("/v2/events/update", { ...event, event_id: "e", discription: "x", until: 5 })).toEqual([
      {
        field: "discription",
        code: "UNKNOWN_FIELD",
        message: "is not a field of this request and has no effect; did you mean description?",
      },
      { field: "until", code: "UNKNOWN_FIELD", message: "is not a field of this request and has no effect" },
    ]);
  });

  test("name a time before 1980, which may be in seconds", () => {
    const message = "is before 1980: times are Unix milliseconds, and this one may be in seconds";
    const slip = { ...event, epoch_start: 1_544_299_200, epoch_end: 315_532_799_999 };
    expect(warningsOf("/v2/events/create", slip)).toEqual([
      { field: "epoch_start", code: "BEFORE_1980", message },
      { field: "epoch_end", code: "BEFORE_1980", message },
    ]);
    expect(warningsOf("/v2/events/create", { ...event, epoch_start: 315_532_800_000 })).toEqual([]);
    expect(warningsOf("/v2/events/list/date", { ...event, epoch_end: 5 })).toMatchObject([
      { field: "epoch_end", code: "UNKNOWN_FIELD" },
    ]);
    expect(warningsOf("/admin/keys/create", { expires: 1_893_456_000 })).toMatchObject([{ field: "expires" }]);
  });

  test("name a time before 1980 in a recurrence by its path, and an entry of a list by its index", () => {
    const recurrence = {
      frequency: "DAILY",
      until: 1_545_000_000,
      ex_dates: [1_544_385_600_000, 1_544_472_000],
      r_dates: [1_544_558_400],
    };
    const paths = ["recurrence.until", "recurrence.ex_dates[1]", "recurrence.r_dates[0]"];
    for (const path of ["/v2/events/create", "/v2/events/update"]) {
      const warnings = warningsOf(path, { ...event, event_id: "e", recur: true, recurrence });
      expect(warnings.map(({ field, code }) => [field, code])).toEqual(paths.map((each) => [each, "BEFORE_1980"]));
    }
    const right = { frequency: "DAILY", until: 1_545_000_000_000, ex_dates: [1_544_385_600_000], r_dates: [] };
    expect(warningsOf("/v2/events/create", { ...event, recur: true, recurrence: right })).toEqual([]);
    expect(warningsOf("/v2/events/create", { ...event, recurrence: null })).toEqual([]);
  });

  test.each(ROUTES.map((route) => [route.paths[0], route] as const))(
    "cover every time of %s: what is a time by its contract is marked as one on the wire",
    (_path, { fields, shape }) => expect(markedTimes(fields)).toEqual(timesOf(fields, shape.params)),
  );

  test("ignore the read-only fields event_id and is_parent (D6)", () => {
    expect(warningsOf("/v2/events/create", { ...event, event_id: "x", is_parent: true })).toEqual([]);
    expect(warningsOf("/v2/events/update", { ...event, event_id: "x", is_parent: true })).toEqual([]);
    expect(warningsOf("/v2/events/delete", { ...event, event_id: "x" })).toHaveLength(2);
  });

  test("are at most ten, and a long name is cut", () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`x${at}`, at]));
    expect(warningsOf("/v2/events/create", { ...many, epoch_start: 1 })).toHaveLength(10);
    const recurrence = { frequency: "DAILY", ex_dates: Array.from({ length: 100 }, (_, at) => at) };
    expect(warningsOf("/v2/events/create", { ...event, ...many, recur: true, recurrence })).toHaveLength(10);
    const [warning] = warningsOf("/v2/events/create", { ["😀".repeat(1_000)]: 1 });
    expect(warning?.field).toBe(`${"😀".repeat(31)}\ufffd…`);
    expect(JSON.stringify(warning).length).toBeLessThan(300);
  });
});
