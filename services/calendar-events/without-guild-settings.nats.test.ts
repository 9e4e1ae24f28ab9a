import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startTestServices, type TestServices } from "../../test/harness/test-services.ts";
import { createEvent, getEvent } from "../contracts/calendar-events.contract.ts";
import { findEvent } from "../contracts/event-references.contract.ts";
import { listCalendars } from "../contracts/calendars.contract.ts";
import type { EventId, GuildId } from "../contracts/ids.ts";
import { calendarEventsService } from "./calendar-events.service.ts";

const guildId = "1" as GuildId;

describe("calendar events without guild settings", () => {
  let services: TestServices;
  beforeAll(async () => {
    services = await startTestServices((mongoUrl) => [calendarEventsService({ mongoUrl })]);
  });
  afterAll(() => services.stop());

  test("the first calendar, which every guild has, still works (D20)", async () => {
    const event = { guildId, calendarNumber: 1, startsAt: 1, endsAt: 2 };
    const { eventId } = await services.call(createEvent, event);
    await expect(services.call(findEvent, { guildId, eventId })).resolves.toMatchObject({ eventId });
  });

  test("other calendars are unavailable, and not reported as missing", async () => {
    const unavailable = { type: "UNAVAILABLE", code: 503 };
    const eventId = `e${"0".repeat(25)}` as EventId;
    await expect(services.call(getEvent, { guildId, calendarNumber: 2, eventId })).rejects.toMatchObject(unavailable);
    await expect(services.call(listCalendars, { guildId })).rejects.toMatchObject(unavailable);
  });
});
