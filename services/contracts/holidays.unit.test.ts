import { describe, expect, test } from "@jest/globals";
import { holidayCalendars, MAX_HOLIDAY_CALENDARS, skipOnProblems } from "./holidays.ts";

describe("the calendars of holidays of a guild (D66)", () => {
  test("are those of its enabled announcements, each once", () => {
    const announcements = [
      { enabled: true, skipOn: 3 },
      { enabled: true },
      { enabled: true, skipOn: 2 },
      { enabled: true, skipOn: 3 },
      { enabled: false, skipOn: 4 },
    ];
    expect(holidayCalendars(announcements)).toEqual([2, 3]);
  });

  test("are at most five: one that an announcement names already is no further one", () => {
    const stored = Array.from({ length: MAX_HOLIDAY_CALENDARS }, (_, at) => ({ id: `a${at}`, skipOn: at + 2 }));
    const problem = { field: "skipOn", code: "TOO_MANY" };
    expect(skipOnProblems(stored, { skipOn: 9 })).toMatchObject([problem]);
    expect(skipOnProblems([...stored, { id: "b" }], { id: "b", skipOn: 9 })).toMatchObject([problem]);
    expect(skipOnProblems([...stored, { id: "b", skipOn: 2 }], { id: "a0", skipOn: 9 })).toMatchObject([problem]);
    expect(skipOnProblems(stored, { skipOn: 2 })).toEqual([]);
    expect(skipOnProblems(stored, { id: "a0", skipOn: 9 })).toEqual([]);
    expect(skipOnProblems(stored.slice(1), { skipOn: 9 })).toEqual([]);
    expect(skipOnProblems(stored, { skipOn: null })).toEqual([]);
    expect(skipOnProblems(stored, {})).toEqual([]);
  });
});
