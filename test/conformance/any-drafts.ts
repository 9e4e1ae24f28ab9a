import fc from "fast-check";
import type { PostOffset } from "../../services/contracts/announcement-offsets.ts";
import { COLORS } from "../../services/contracts/calendar-events.contract.ts";
import type { DraftChange } from "../../services/contracts/draft-changes.contract.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
/** 2030-03-01, near the changes of the clock in both hemispheres. */
export const DRAFTS_NOW = Date.UTC(2030, 2, 1, 12);

/** The ids that a change may name: those of stored events and occurrences, of announcements, and of what earlier changes create. */
export interface KnownIds {
  readonly events: readonly string[];
  readonly announcements: readonly string[];
}

/** A change whose ids are chosen when it is known what exists. */
export type AnyChange = (known: KnownIds) => DraftChange;

const sometimes = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 });
const seldom = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

const startsAt = fc
  .oneof(
    fc.integer({ min: -120, max: 240 }).map((minutes) => minutes * MINUTE),
    fc.integer({ min: 0, max: 4_000 }).map((quarters) => quarters * 15 * MINUTE),
    fc.integer({ min: -30, max: 400 }).map((days) => days * DAY),
  )
  .map((offset) => DRAFTS_NOW + offset);
const date = fc
  .integer({ min: -3, max: 60 })
  .map((days) => new Date(DRAFTS_NOW + days * DAY).toISOString().slice(0, 10));
const recurrence = fc.record(
  {
    frequency: fc.constantFrom("DAILY", "WEEKLY", "WEEKLY", "MONTHLY"),
    interval: fc.integer({ min: 1, max: 3 }),
    count: fc.oneof(fc.constant(-1), fc.integer({ min: 2, max: 12 })),
  },
  { requiredKeys: ["frequency", "count"] },
);
const color = fc.constantFrom(...COLORS.slice(0, 2), "NONE");
const name = fc.constantFrom("Raid", "Stage", "Film");

const times = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .record({ startsAt, minutes: fc.integer({ min: 0, max: 240 }) })
      .map(({ startsAt: at, minutes }) => ({ startsAt: at, endsAt: at + minutes * MINUTE })),
  },
  { weight: 1, arbitrary: date.map((startDate) => ({ allDay: true, startDate })) },
);

const calendarNumber = fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constant(2) });

const anyNewEvent = fc
  .record({ times, name, color: sometimes(color), recurrence: sometimes(recurrence), calendarNumber })
  .map(({ times: given, recurrence: rule, ...rest }) =>
    Object.assign(
      { action: "CREATE_EVENT" },
      rest,
      given,
      rule === undefined ? {} : { recurs: true, recurrence: rule },
    ),
  );

/** An event of the second calendar, which announcements may skip on. */
const anyHoliday = fc
  .record({ times, name, recurrence: seldom(recurrence) })
  .map(({ times: given, name: called, recurrence: rule }) =>
    Object.assign(
      { action: "CREATE_EVENT", calendarNumber: 2, name: called },
      given,
      rule === undefined ? {} : { recurs: true, recurrence: rule },
    ),
  );

/** The calendar of holidays, or null for none; seldom given. */
const skipOn = fc.oneof(
  { weight: 7, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 3, arbitrary: fc.constantFrom(1, 2, 2, 2) },
);

/** The end of a pause, or null to end it; seldom given. */
const pausedUntil = fc.oneof(
  { weight: 8, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.integer({ min: -48, max: 24 * 40 }).map((hours) => DRAFTS_NOW + hours * 60 * MINUTE) },
);

const lead = fc.record({
  hours: fc.constantFrom(0, 0, 1, 24, 100),
  minutes: fc.constantFrom(0, 5, 30),
});

/** The latest offset. */
export const MAX_OFFSET_MS = DAY;
const OFFSETS: readonly PostOffset[] = [
  ...[-1_440, -60, -10, 0, 30].map((minutes) => ({ anchor: "START", minutes }) as const),
  ...[-30, 0, 1_440].map((minutes) => ({ anchor: "END", minutes }) as const),
  ...[0, 60].map((minutes) => ({ anchor: "CREATED", minutes }) as const),
  ...[0, 60].map((minutes) => ({ anchor: "CHANGED", minutes }) as const),
];

/** A lead time, or offsets in its place (D54). */
const dueTimes = fc.oneof(
  { weight: 2, arbitrary: lead },
  { weight: 1, arbitrary: fc.subarray([...OFFSETS], { minLength: 1, maxLength: 3 }).map((offsets) => ({ offsets })) },
);

const reference = fc.nat(1_000);
const pick = (ids: readonly string[], at: number) => (ids.length === 0 ? "none" : ids[at % ids.length]!);

const announcementFields = fc.record({
  type: fc.constantFrom("UNIVERSAL", "UNIVERSAL", "SPECIFIC", "RECUR", "COLOR"),
  event: reference,
  eventColor: color,
  channel: fc.constantFrom("71", "72"),
  info: fc.constantFrom("", "Bring potions"),
  enabled: fc.constantFrom(true, true, true, false),
});

const anyNewAnnouncement = fc
  .record({ lead: dueTimes, fields: announcementFields, skipOn: fc.constantFrom(undefined, undefined, 1, 2, 2) })
  .map(({ lead: given, fields: { event, ...fields }, skipOn: holidays }) => ({ events }: KnownIds) => ({
    action: "CREATE_ANNOUNCEMENT",
    ...given,
    ...fields,
    eventId: pick(events, event),
    skipOn: holidays,
  }));

const digest = fc
  .record({
    calendarNumber,
    weekday: fc.constantFrom(undefined, "MON", "THU"),
    time: fc.constantFrom("00:00", "02:30", "18:30"),
    days: fc.constantFrom(undefined, 2),
    color: seldom(color),
    emptyText: sometimes(fc.constant("Nothing today")),
  })
  .map(({ weekday, ...fields }) =>
    weekday === undefined
      ? Object.assign({ frequency: "DAILY" }, fields)
      : Object.assign({ frequency: "WEEKLY", weekday }, fields),
  );

const anyNewDigest = fc
  .record({ digest, channel: fc.constantFrom("71", "72"), info: fc.constantFrom("", "This week") })
  .map((fields) => Object.assign({ action: "CREATE_ANNOUNCEMENT", type: "DIGEST", hours: 0, minutes: 0 }, fields));

const anyUpdateOfEvent = fc
  .record({
    event: reference,
    calendarNumber,
    scope: sometimes(fc.constantFrom("this", "following", "all")),
    times: sometimes(times),
    name: sometimes(name),
    color: seldom(color),
    recurrence: seldom(recurrence),
    pausedUntil,
    stops: fc.integer({ min: 0, max: 9 }),
  })
  .map(({ event, times: given, recurrence: rule, stops, ...fields }) => ({ events }: KnownIds) => ({
    action: "UPDATE_EVENT",
    eventId: pick(events, event),
    ...fields,
    ...given,
    ...(rule === undefined ? (stops === 0 ? { recurs: false } : {}) : { recurs: true, recurrence: rule }),
  }));

const anyDeleteOfEvent = fc
  .record({
    event: reference,
    calendarNumber,
    scope: sometimes(fc.constantFrom("this", "following", "all")),
    announcements: sometimes(fc.constant("delete")),
  })
  .map(({ event, announcements, ...fields }) => ({ events }: KnownIds) => ({
    action: "DELETE_EVENT",
    eventId: pick(events, event),
    ...fields,
    ...(fields.scope === "following" ? {} : { announcements }),
  }));

const anyUpdateOfAnnouncement = fc
  .record({
    announcement: reference,
    lead: sometimes(dueTimes),
    channel: sometimes(fc.constantFrom("71", "72")),
    info: sometimes(fc.constantFrom("", "New info")),
    template: seldom(fc.constantFrom(null, {}, { title: "{name} at {start:time}" })),
    enabled: seldom(fc.boolean()),
    subscribersUserAdd: seldom(fc.constant(["42"])),
    pausedUntil,
    skipOn,
    digest: seldom(digest),
    target: seldom(announcementFields),
  })
  .map(({ announcement, lead: given, target, ...fields }) => ({ events, announcements }: KnownIds) => ({
    action: "UPDATE_ANNOUNCEMENT",
    id: pick(announcements, announcement),
    ...given,
    ...fields,
    ...(target === undefined
      ? {}
      : { type: target.type, eventId: pick(events, target.event), eventColor: target.eventColor }),
  }));

const anyDeleteOfAnnouncement = reference.map((at) => ({ announcements }: KnownIds) => ({
  action: "DELETE_ANNOUNCEMENT",
  id: pick(announcements, at),
}));

const anySettings = fc
  .record({
    lang: seldom(fc.constantFrom("ENGLISH", "SPANISH")),
    twelveHour: seldom(fc.boolean()),
    template: seldom(fc.constantFrom(null, { body: "{location} {offset}" })),
    prefix: seldom(fc.constantFrom("!", "?")),
    maxCalendars: seldom(fc.integer({ min: 1, max: 2 })),
    pausedUntil,
  })
  .map((fields) => Object.assign({ action: "UPDATE_SETTINGS" }, fields));

const anyZone = fc
  .record({
    timezone: fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu"),
    pausedUntil,
  })
  .map((fields) => Object.assign({ action: "UPDATE_CALENDAR", calendarNumber: 1 }, fields));

type Given = object | ((known: KnownIds) => object);

/** A change with its ids, and without the fields that are undefined. */
function chosen(given: Given): AnyChange {
  return (known) => {
    const change = typeof given === "function" ? (given as (known: KnownIds) => object)(known) : given;
    return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as DraftChange;
  };
}

/** The guild before the changes: events, and announcements of them. */
export const anyGuild: fc.Arbitrary<readonly AnyChange[]> = fc
  .tuple(
    fc.constantFrom([], [{ action: "UPDATE_SETTINGS", maxCalendars: 2 }]),
    fc.array(anyHoliday, { maxLength: 3 }),
    fc.array(anyNewEvent, { minLength: 1, maxLength: 4 }),
    fc.array(anyNewAnnouncement, { minLength: 1, maxLength: 3 }),
    fc.array(anyNewDigest, { maxLength: 1 }),
    fc.array(fc.oneof(anyUpdateOfEvent, anyDeleteOfEvent, anyUpdateOfAnnouncement, anySettings), { maxLength: 3 }),
  )
  .map((parts) => parts.flat().map(chosen));

export const anyDrafts: fc.Arbitrary<readonly AnyChange[]> = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: anyNewEvent },
      { weight: 1, arbitrary: anyHoliday },
      { weight: 6, arbitrary: anyUpdateOfEvent },
      { weight: 3, arbitrary: anyDeleteOfEvent },
      { weight: 3, arbitrary: anyNewAnnouncement },
      { weight: 1, arbitrary: anyNewDigest },
      { weight: 3, arbitrary: anyUpdateOfAnnouncement },
      { weight: 1, arbitrary: anyDeleteOfAnnouncement },
      { weight: 1, arbitrary: anySettings },
      { weight: 1, arbitrary: anyZone },
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((drafts) => drafts.map(chosen));
