import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type CalendarUnderTest, DAY, HOUR, noon, startCalendar } from "../../test/harness/calendar-under-test.ts";
import { newWriteId } from "../../mixins/mongo/write-id.ts";
import {
  type EditScope,
  removeEvent,
  updateEvent,
  type UpdateEventParams,
} from "../contracts/calendar-events.contract.ts";
import { listExistingEvents } from "../contracts/event-references.contract.ts";
import type { EventId, GuildId, OccurrenceId } from "../contracts/ids.ts";
import { listOccurrencesStarting } from "../contracts/occurrences.contract.ts";

const EVENTS_PER_GUILD = 8;
const FROM = noon - DAY;
const UNTIL = noon + 40 * DAY;

describe("the scope of an edit (D51)", () => {
  let calendar: CalendarUnderTest;
  beforeAll(async () => {
    calendar = await startCalendar(EVENTS_PER_GUILD);
  });
  afterAll(() => calendar.services.stop());

  /** A daily series of six occurrences from noon, with the ids of its occurrences. */
  async function newSeries(guildId = calendar.newGuild(), count = 6) {
    const recurrence = { frequency: "DAILY", count } as const;
    const { eventId } = await calendar.create(guildId, { recurs: true, recurrence, name: "n" });
    const idAt = (place: number, of: EventId = eventId) => `${of}_${stampOf(noon + place * DAY)}` as OccurrenceId;
    return { guildId, series: eventId, idAt };
  }
  const stampOf = (at: number) => `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;

  const update = (
    guildId: GuildId,
    eventId: EventId | OccurrenceId,
    scope: EditScope,
    changes: Partial<UpdateEventParams> = {},
    meta: object = {},
  ) => calendar.services.call(updateEvent, { guildId, calendarNumber: 1, eventId, scope, ...changes }, meta);
  const remove = (guildId: GuildId, eventId: EventId | OccurrenceId, scope: EditScope, more: object = {}) =>
    calendar.services.call(removeEvent, { guildId, calendarNumber: 1, eventId, scope, ...more });
  const whole = (guildId: GuildId) => calendar.list(guildId, FROM, UNTIL);
  const namesOf = async (guildId: GuildId) => (await whole(guildId)).map(({ name }) => name);
  const idsOf = async (guildId: GuildId) => (await whole(guildId)).map(({ eventId }) => eventId);

  test("following splits the series: ids before stay, overrides are on their side, the count is divided", async () => {
    const { guildId, series, idAt } = await newSeries();
    await calendar.update(guildId, idAt(1), { name: "own, before" });
    await calendar.update(guildId, idAt(3), { name: "own, after" });
    await calendar.remove(guildId, idAt(4));
    const scheduled = new Map((await calendar.starting(guildId, FROM, UNTIL)).map((each) => [each.startsAt, each]));
    const { eventId: following, revision } = await update(guildId, idAt(2), "following", { color: "RED" });
    if (following === undefined) throw new Error("no new series");
    await expect(calendar.get(guildId, following)).resolves.toMatchObject({
      revision,
      isParent: true,
      startsAt: noon + 2 * DAY,
      color: "RED",
      recurrence: { count: 4 },
    });
    await expect(calendar.get(guildId, series)).resolves.toMatchObject({ recurrence: { count: 2 }, color: "NONE" });
    await expect(idsOf(guildId)).resolves.toEqual([
      ...[0, 1].map((place) => idAt(place)),
      ...[2, 3, 5].map((place) => idAt(place, following)),
    ]);
    await expect(namesOf(guildId)).resolves.toEqual(["n", "own, before", "n", "own, after", "n"]);
    await expect(calendar.get(guildId, idAt(2))).rejects.toMatchObject({ type: "EVENT_NOT_FOUND" });
    await expect(calendar.get(guildId, idAt(4, following))).rejects.toMatchObject({ type: "EVENT_NOT_FOUND" });
    for (const occurrence of await calendar.starting(guildId, noon + 2 * DAY, UNTIL)) {
      const { scheduledAt, coloredAt } = scheduled.get(occurrence.startsAt) ?? {};
      expect(occurrence).toMatchObject({ eventId: following, follows: [series], scheduledAt });
      expect(occurrence.coloredAt).toBeGreaterThan(coloredAt ?? Infinity);
    }
    expect(calendar.heard.filter((heard) => heard.guildId === guildId).map(({ eventId }) => eventId)).toContain(
      following,
    );
  });

  test("references to the old ids are found in the new series, also when the old one is removed, and by dispatch", async () => {
    const { guildId, series, idAt } = await newSeries();
    const { eventId: second } = await update(guildId, idAt(2), "following");
    const { eventId: third } = await update(guildId, idAt(4, second), "following", { startsAt: noon + 4 * DAY + HOUR });
    const existing = (eventIds: string[], firstOccurrence: boolean) =>
      calendar.services.call(listExistingEvents, { guildId, eventIds, firstOccurrence });
    const references = [series, idAt(1), idAt(2), idAt(3), idAt(4), idAt(9)];
    await expect(existing(references, true)).resolves.toEqual([series, idAt(1), idAt(2), idAt(3)]);
    const windows = [{ from: FROM, until: UNTIL }];
    const named = { guildId, windows, limit: 10, only: { eventId: series } };
    const { occurrences } = await calendar.services.call(listOccurrencesStarting, named);
    expect(occurrences.map(({ eventId }) => eventId)).toEqual([series, series, second, second, third, third]);
    await calendar.remove(guildId, series);
    await expect(existing([series, second ?? ""], false)).resolves.toEqual([series, second]);
    await expect(existing([series], true)).resolves.toEqual([]);
  });

  test("a moved part starts at its own time, loses the changes of occurrences that no longer exist, and their places", async () => {
    const { guildId, idAt } = await newSeries();
    for (const place of [1, 3, 4, 5]) await calendar.update(guildId, idAt(place), { name: `own ${place}` });
    const startsAt = noon + 3 * DAY + HOUR;
    const { eventId: following } = await update(guildId, idAt(3), "following", { startsAt, endsAt: startsAt + HOUR });
    await expect(namesOf(guildId)).resolves.toEqual(["n", "own 1", "n", "n", "n", "n"]);
    const later = (await whole(guildId)).slice(3);
    expect(later.map((each) => each.startsAt)).toEqual([0, 1, 2].map((day) => startsAt + day * DAY));
    expect(later.every(({ eventId }) => eventId.startsWith(following ?? "none"))).toBe(true);
    // One series, one changed occurrence, and the new series: five places are free, of eight.
    for (let place = 0; place < 5; place += 1) await calendar.create(guildId);
    await expect(calendar.create(guildId)).rejects.toMatchObject({ type: "TOO_MANY_EVENTS" });
  });

  test("the new series takes a place of the guild, and in a full guild nothing is changed", async () => {
    const { guildId, idAt } = await newSeries();
    for (let place = 1; place < EVENTS_PER_GUILD; place += 1) {
      await calendar.create(guildId, { startsAt: UNTIL, endsAt: UNTIL });
    }
    const before = await whole(guildId);
    const refused = update(guildId, idAt(2), "following", { name: "new" });
    await expect(refused).rejects.toMatchObject({ type: "TOO_MANY_EVENTS" });
    await expect(whole(guildId)).resolves.toEqual(before);
    await remove(guildId, idAt(2), "following");
    await expect(idsOf(guildId)).resolves.toEqual([idAt(0), idAt(1)]);
  });

  test("a repeated write splits once, and an old revision splits nothing", async () => {
    const { guildId, series, idAt } = await newSeries();
    const stale = `${(await calendar.get(guildId, series)).revision}`;
    const meta = { writeId: newWriteId() };
    const attempt = () => update(guildId, idAt(2), "following", { name: "new" }, meta);
    const first = await attempt();
    await expect(attempt()).resolves.toEqual(first);
    const concurrent = { writeId: newWriteId() };
    const split = () => update(guildId, idAt(4, first.eventId), "following", { name: "newer" }, concurrent);
    const outcomes = await Promise.all([split(), split(), split()]);
    expect(new Set(outcomes.map(({ eventId }) => eventId)).size).toBe(1);
    await expect(namesOf(guildId)).resolves.toEqual(["n", "n", "new", "new", "newer", "newer"]);
    const late = update(guildId, idAt(1), "following", { name: "late", ifRevision: [stale] });
    await expect(late).rejects.toMatchObject({ type: "REVISION_MISMATCH" });
    await expect(remove(guildId, idAt(1), "following", { ifRevision: [stale] })).rejects.toMatchObject({
      type: "REVISION_MISMATCH",
    });
    await expect(whole(guildId)).resolves.toHaveLength(6);
  });

  test("from the first occurrence on is the whole series, and all is the series of an occurrence", async () => {
    const { guildId, series, idAt } = await newSeries();
    const all = await update(guildId, idAt(3), "all", { name: "all" });
    expect(all).not.toHaveProperty("eventId");
    await expect(namesOf(guildId)).resolves.toEqual(Array.from({ length: 6 }, () => "all"));
    const first = await update(guildId, idAt(0), "following", { name: "from the first" });
    expect(first).not.toHaveProperty("eventId");
    await expect(calendar.get(guildId, series)).resolves.toMatchObject({ name: "from the first" });
    await update(guildId, idAt(1), "this", { name: "this" });
    await expect(namesOf(guildId)).resolves.toEqual(
      Array.from({ length: 6 }, (_, place) => (place === 1 ? "this" : "from the first")),
    );
    await remove(guildId, idAt(1), "this");
    await expect(idsOf(guildId)).resolves.toHaveLength(5);
    await remove(guildId, idAt(2), "all");
    await expect(idsOf(guildId)).resolves.toEqual([]);
  });

  test("a delete of the following ones ends the series, and removes their changes with their places", async () => {
    const { guildId, series, idAt } = await newSeries();
    await calendar.update(guildId, idAt(1), { name: "own" });
    for (const place of [3, 4, 5]) await calendar.remove(guildId, idAt(place));
    await remove(guildId, idAt(2), "following");
    await expect(namesOf(guildId)).resolves.toEqual(["n", "own"]);
    await expect(calendar.get(guildId, series)).resolves.toMatchObject({ recurrence: { count: 2 } });
    for (let place = 0; place < 6; place += 1) await calendar.create(guildId);
    await expect(calendar.create(guildId)).rejects.toMatchObject({ type: "TOO_MANY_EVENTS" });
    await remove(guildId, idAt(0), "following");
    await expect(calendar.get(guildId, series)).rejects.toMatchObject({ type: "EVENT_NOT_FOUND" });
  });

  test("the id of a series with this or following, and announcements with following, are refused by field", async () => {
    const { guildId, series, idAt } = await newSeries();
    const refused = (field: string) => ({ type: "INVALID_REQUEST", data: { problems: [{ field }] } });
    for (const scope of ["this", "following"] as const) {
      await expect(update(guildId, series, scope, { name: "x" })).rejects.toMatchObject(refused("scope"));
      await expect(remove(guildId, series, scope)).rejects.toMatchObject(refused("scope"));
    }
    const both = remove(guildId, idAt(2), "following", { announcements: "delete" });
    await expect(both).rejects.toMatchObject(refused("announcements"));
    await expect(update(guildId, idAt(9), "following")).rejects.toMatchObject({ type: "EVENT_NOT_FOUND" });
    const end = update(guildId, idAt(2), "following", { endsAt: noon });
    await expect(end).rejects.toMatchObject(refused("endsAt"));
    await expect(namesOf(guildId)).resolves.toEqual(Array.from({ length: 6 }, () => "n"));
    const { eventId: single } = await calendar.create(guildId, { name: "single" });
    for (const scope of ["this", "following", "all"] as const) {
      await expect(update(guildId, single, scope, { name: scope })).resolves.not.toHaveProperty("eventId");
    }
    await expect(calendar.get(guildId, single)).resolves.toMatchObject({ name: "all" });
  });
});
