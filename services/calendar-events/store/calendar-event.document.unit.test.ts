import { describe, expect, test } from "@jest/globals";
import { EVENT_TEXTS, perText } from "../../contracts/calendar-events.contract.ts";
import { RECURRENCE_MEMBERS } from "../../contracts/recurrence.ts";
import type { EventId, GuildId } from "../../contracts/ids.ts";
import { documentOf, eventSchema, overrideDocumentOf, overrideOf, listedEventOf } from "./calendar-event.document.ts";
import type { CalendarEvent } from "../domain/event/event.ts";

const series: CalendarEvent = {
  id: "e1" as EventId,
  guildId: "1" as GuildId,
  calendarNumber: 1,
  revision: 1,
  startsAt: 0,
  endsAt: 1,
  ...perText((text) => `the series' ${text}`),
  color: "RED",
  recurring: {
    recurrence: { frequency: "WEEKLY", count: 5, interval: 2 },
    anchor: { timezone: "UTC", version: 0 },
    hasOverrides: true,
  },
};

describe("an event's row", () => {
  test("has every field of the event, and reads as it was stored", () => {
    const { guildId: _guildId, calendarNumber: _number, revision: _revision, ...shown } = series;
    expect(listedEventOf(documentOf(series))).toEqual(shown);
    expect(documentOf(series)).toMatchObject({ guildId: "1", calendarNumber: 1, revision: 1 });
  });

  test("has a path in the schema for every field", () => {
    const paths = [...Object.keys(documentOf(series)), ...RECURRENCE_MEMBERS.map((member) => `recurrence.${member}`)];
    expect(paths.filter((path) => eventSchema.path(path) === undefined)).toEqual([]);
  });
});

test.each(EVENT_TEXTS)("the %s of an override reads as it was stored", (text) => {
  const own = {
    eventId: series.id,
    original: 0,
    cancelled: false,
    texts: { [text]: "its own" },
    moved: { startsAt: 5, endsAt: 6, anchor: { timezone: "UTC", version: 0 } },
  };
  expect(overrideOf(overrideDocumentOf(series, own))).toEqual(own);
});
