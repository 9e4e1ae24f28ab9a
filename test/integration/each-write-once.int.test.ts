import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newWriteId } from "../../mixins/mongo/write-id.ts";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import { occurrenceId } from "../../services/calendar-events/domain/event/occurrence-id.ts";
import {
  createAnnouncement,
  getAnnouncement,
  listAnnouncements,
  removeAnnouncement,
  updateAnnouncement,
} from "../../services/contracts/announcements.contract.ts";
import {
  createEvent,
  getEvent,
  listEvents,
  removeEvent,
  updateEvent,
} from "../../services/contracts/calendar-events.contract.ts";
import { getCalendar, updateCalendar } from "../../services/contracts/calendars.contract.ts";
import { getGuildSettings, updateGuildSettings } from "../../services/contracts/guild-settings.contract.ts";
import type { EventId, GuildId } from "../../services/contracts/ids.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { startTestServices, type TestServices } from "../harness/test-services.ts";

declare const TOPOLOGY: "in one process" | "over NATS";

const HOUR_MS = 3_600_000;
const startsAt = 1_900_000_000_000;

/** The writes of one kind of record. */
interface Written {
  /** Makes one attempt of a write; resolves with its outcome. */
  readonly attemptWrite: (value: string, writeId: string) => Promise<unknown>;
  /** The stored value that the writes change, and its revision. */
  readonly stored: () => Promise<unknown>;
}

describe("a write that is retried with its id", () => {
  let services: TestServices;
  let guilds = 0;
  let guildId: GuildId;
  const calendarNumber = 1;

  beforeAll(async () => {
    // Over NATS with two replicas of each, which share the attempts of a write.
    const replicas = TOPOLOGY === "over NATS" ? 2 : 1;
    services = await startTestServices((mongoUrl) =>
      Array.from({ length: replicas }, () => [
        announcementsService({ mongoUrl }),
        calendarEventsService({ mongoUrl }),
        guildSettingsService({ mongoUrl }),
      ]).flat(),
    );
  });
  afterAll(() => services.stop());

  function newGuild(): GuildId {
    guildId = `${(guilds += 1)}` as GuildId;
    return guildId;
  }

  const asAttempt = (writeId: string) => ({ writeId: writeId as ReturnType<typeof newWriteId> });
  const event = () => ({ guildId, calendarNumber, startsAt, endsAt: startsAt + HOUR_MS });
  const newEvent = async (more: object = {}) => (await services.call(createEvent, { ...event(), ...more })).eventId;
  const rule = () => ({ guildId, channel: "1", type: "UNIVERSAL" as const, hours: 0, minutes: 0, info: "" });
  const newRule = async () => (await services.call(createAnnouncement, rule())).id;

  function eventWrites(named: string): Written {
    const reference = { guildId, calendarNumber, eventId: named as EventId };
    return {
      attemptWrite: (name, id) => services.call(updateEvent, { ...reference, name }, asAttempt(id)),
      stored: () => services.call(getEvent, reference),
    };
  }

  const UPDATES: Record<string, () => Promise<Written>> = {
    "an event's": async () => {
      const eventId = await newEvent();
      return eventWrites(eventId);
    },
    "a series'": async () => {
      const eventId = await newEvent({ recurs: true, recurrence: { frequency: "DAILY" } });
      return eventWrites(eventId);
    },
    "an occurrence's": async () => {
      const eventId = await newEvent({ recurs: true, recurrence: { frequency: "DAILY" } });
      return eventWrites(occurrenceId(eventId, startsAt));
    },
    "an announcement's": async () => {
      const id = await newRule();
      return {
        attemptWrite: (info, writeId) => services.call(updateAnnouncement, { guildId, id, info }, asAttempt(writeId)),
        stored: () => services.call(getAnnouncement, { guildId, id }),
      };
    },
    "a calendar's": async () => ({
      attemptWrite: (name, id) => services.call(updateCalendar, { guildId, calendarNumber, name }, asAttempt(id)),
      stored: () => services.call(getCalendar, { guildId, calendarNumber }),
    }),
    "the guild's settings'": async () => ({
      attemptWrite: async (prefix, id) => {
        const { revision } = await services.call(updateGuildSettings, { guildId, prefix }, asAttempt(id));
        return { revision };
      },
      stored: () => services.call(getGuildSettings, { guildId }),
    }),
  };

  describe.each(Object.entries(UPDATES))("%s update", (_whose, prepare) => {
    test("is performed once, and has the same outcome each time", async () => {
      newGuild();
      const { attemptWrite, stored } = await prepare();
      const id = newWriteId();
      const first = await attemptWrite("mine", id);
      const after = await stored();
      await expect(attemptWrite("mine", id)).resolves.toEqual(first);
      await expect(stored()).resolves.toEqual(after);
    });

    test("does not undo a later write of another client", async () => {
      newGuild();
      const { attemptWrite, stored } = await prepare();
      const id = newWriteId();
      const first = await attemptWrite("mine", id);
      await attemptWrite("theirs", newWriteId());
      const after = await stored();
      await expect(attemptWrite("mine", id)).resolves.toEqual(first);
      await expect(stored()).resolves.toEqual(after);
      expect(JSON.stringify(after)).toContain("theirs");
    });

    test("is performed once by ten concurrent attempts", async () => {
      newGuild();
      const { attemptWrite, stored } = await prepare();
      const id = newWriteId();
      const responses = await Promise.all(Array.from({ length: 10 }, () => attemptWrite("mine", id)));
      const after = await stored();
      expect(responses).toEqual(responses.map(() => responses[0]));
      await expect(attemptWrite("mine", id)).resolves.toEqual(responses[0]);
      await expect(stored()).resolves.toEqual(after);
    });
  });

  test("and had a condition succeeds, and does not conflict with its own revision (D36)", async () => {
    newGuild();
    const eventId = await newEvent();
    const reference = { guildId, calendarNumber, eventId };
    const id = newWriteId();
    const attemptWrite = () =>
      services.call(updateEvent, { ...reference, name: "mine", ifRevision: ["1"] }, asAttempt(id));
    const first = await attemptWrite();
    await expect(attemptWrite()).resolves.toEqual(first);
    await expect(services.call(updateEvent, { ...reference, ifRevision: ["1"] })).rejects.toMatchObject({
      type: "REVISION_MISMATCH",
    });
  });

  test("succeeds if its record was deleted in the meantime", async () => {
    newGuild();
    const eventId = await newEvent();
    const { attemptWrite } = eventWrites(eventId);
    const id = newWriteId();
    const first = await attemptWrite("mine", id);
    await services.call(removeEvent, { guildId, calendarNumber, eventId });
    await expect(attemptWrite("mine", id)).resolves.toEqual(first);
    await expect(attemptWrite("another", newWriteId())).rejects.toMatchObject({ type: "EVENT_NOT_FOUND" });
  });

  test("creates one event, also if it was deleted in the meantime", async () => {
    newGuild();
    const id = newWriteId();
    const attemptWrite = () => services.call(createEvent, event(), asAttempt(id));
    const responses = [...(await Promise.all([attemptWrite(), attemptWrite(), attemptWrite()])), await attemptWrite()];
    expect(new Set(responses.map(({ eventId }) => eventId)).size).toBe(1);
    const list = () => services.call(listEvents, { guildId, calendarNumber, from: 0, until: startsAt * 2 });
    const { eventId } = responses[0] as { eventId: EventId };
    await services.call(removeEvent, { guildId, calendarNumber, eventId });
    await expect(attemptWrite()).resolves.toEqual(responses[0]);
    await expect(list()).resolves.toEqual([]);
  });

  test("splits a series once, by ten concurrent attempts", async () => {
    newGuild();
    const eventId = await newEvent({ recurs: true, recurrence: { frequency: "DAILY" } });
    const params = { guildId, calendarNumber, eventId: occurrenceId(eventId, startsAt + 48 * HOUR_MS), name: "later" };
    const id = newWriteId();
    const attemptWrite = () => services.call(updateEvent, { ...params, scope: "following" }, asAttempt(id));
    const responses = await Promise.all(Array.from({ length: 10 }, attemptWrite));
    expect(responses).toEqual(responses.map(() => responses[0]));
    const week = { guildId, calendarNumber, from: startsAt, until: startsAt + 144 * HOUR_MS };
    const listed = await services.call(listEvents, week);
    expect(listed.map(({ name }) => name === "later")).toEqual([false, false, true, true, true, true]);
  });

  test("creates one announcement, also if its event was deleted in the meantime", async () => {
    newGuild();
    const eventId = await newEvent();
    const id = newWriteId();
    const attemptWrite = () =>
      services.call(createAnnouncement, { ...rule(), type: "SPECIFIC" as const, eventId }, asAttempt(id));
    const responses = await Promise.all([attemptWrite(), attemptWrite(), attemptWrite()]);
    await services.call(removeEvent, { guildId, calendarNumber, eventId });
    await expect(attemptWrite()).resolves.toEqual(responses[0]);
    await expect(services.call(listAnnouncements, { guildId, amount: -1 })).resolves.toHaveLength(1);
  });

  test("removes an event, an occurrence and an announcement once, and succeeds each time", async () => {
    newGuild();
    const series = await newEvent({ recurs: true, recurrence: { frequency: "DAILY" } });
    const rules = await newRule();
    const ids = [newWriteId(), newWriteId(), newWriteId()] as const;
    const reference = { guildId, calendarNumber };
    const removals = [
      () => services.call(removeEvent, { ...reference, eventId: occurrenceId(series, startsAt) }, asAttempt(ids[0])),
      () => services.call(removeEvent, { ...reference, eventId: series }, asAttempt(ids[1])),
      () => services.call(removeAnnouncement, { guildId, id: rules }, asAttempt(ids[2])),
    ];
    for (const remove of removals) await remove();
    const responses = await Promise.allSettled(removals.map((remove) => remove()));
    expect(responses.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
    await expect(services.call(removeAnnouncement, { guildId, id: rules })).rejects.toMatchObject({
      type: "ANNOUNCEMENT_NOT_FOUND",
    });
  });

  test("is refused if its id is malformed, and reaches no query", async () => {
    newGuild();
    const attemptWrite = services.call(
      updateGuildSettings,
      { guildId, prefix: "!" },
      {
        writeId: { $gt: "" } as never,
      },
    );
    await expect(attemptWrite).rejects.toMatchObject({
      type: "INVALID_REQUEST",
      data: { problems: [{ field: "meta.writeId" }] },
    });
  });
});
