import { describe, expect, test } from "@jest/globals";
import { ROUTES } from "../route-table.ts";
import type { Warning } from "./warnings.ts";

function warningsOf(path: string, body: Readonly<Record<string, unknown>>): readonly Warning[] {
  const route = ROUTES.find(({ paths }) => paths[0] === path)!;
  return route.warnings(body, route.decode(body));
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

  test("ignore the read-only fields event_id and is_parent (D6)", () => {
    expect(warningsOf("/v2/events/create", { ...event, event_id: "x", is_parent: true })).toEqual([]);
    expect(warningsOf("/v2/events/update", { ...event, event_id: "x", is_parent: true })).toEqual([]);
    expect(warningsOf("/v2/events/delete", { ...event, event_id: "x" })).toHaveLength(2);
  });

  test("are at most ten, and a long name is cut", () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`x${at}`, at]));
    expect(warningsOf("/v2/events/create", { ...many, epoch_start: 1 })).toHaveLength(10);
    const [warning] = warningsOf("/v2/events/create", { ["😀".repeat(1_000)]: 1 });
    expect(warning?.field).toBe(`${"😀".repeat(31)}\ufffd…`);
    expect(JSON.stringify(warning).length).toBeLessThan(300);
  });
});
