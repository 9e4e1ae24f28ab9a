import { describe, expect, test } from "@jest/globals";
import { sampleCalendar, sampleId } from "../../../../test/fixtures/feed-samples.ts";
import { isRefusal } from "../../../contracts/errors.ts";
import type { GuildId } from "../../../contracts/ids.ts";
import { newEvent } from "./create-event.ts";

const allDay = { guildId: "1" as GuildId, calendarNumber: 1, allDay: true, startDate: "2026-11-25" } as const;

describe("an all-day event (D45, D50)", () => {
  test.each(["byHour", "byMinute", "bySecond"])("refuses times of day in its rule: %s", (member) => {
    const rule = { recurs: true, recurrence: { frequency: "DAILY", [member]: [0] } } as const;
    const event = newEvent({ ...allDay, ...rule }, sampleId(1), sampleCalendar());
    const problems = isRefusal(event) ? event.problems : undefined;
    expect(problems).toMatchObject([{ field: `recurrence.${member}`, code: "NOT_ALLOWED" }]);
  });
});
