import { describe, expect, test } from "@jest/globals";
import type { Announcement, CreateAnnouncementParams } from "../../contracts/announcements.contract.ts";
import type { EventView } from "../../contracts/calendar-events.contract.ts";
import type { AnnouncementId, EventId, GuildId } from "../../contracts/ids.ts";
import { changeAnnouncement, newAnnouncement } from "./announcement.ts";
import { eventReference, referredId } from "./event-reference.ts";

const guildId = "375357265198317579" as GuildId;
const id = "4a1c9a52-6c4e-4a53-9f0e-111111111111" as AnnouncementId;
const eventId = `e${"0".repeat(25)}` as EventId;
const params: CreateAnnouncementParams = {
  guildId,
  channel: "99",
  type: "SPECIFIC",
  eventId,
  eventColor: "RED",
  hours: 1,
  minutes: 30,
  info: "",
};
const stored: Announcement = { ...newAnnouncement(id, params, eventId), standsSince: 1000 };

function change(changes: object, reference?: EventId) {
  return changeAnnouncement(stored, { guildId, id, ...changes }, reference);
}

describe("a new announcement", () => {
  test("has the defaults of D26, and keeps only the reference of its type (D27)", () => {
    expect(newAnnouncement(id, params, eventId)).toEqual({
      id,
      guildId,
      channel: "99",
      type: "SPECIFIC",
      eventId,
      eventColor: "NONE",
      hours: 1,
      minutes: 30,
      info: "",
      enabled: true,
      infoOnly: false,
      subscribersRole: [],
      subscribersUser: [],
      revision: 1,
    });
  });

  test("of type COLOR keeps its color and no event", () => {
    expect(newAnnouncement(id, { ...params, type: "COLOR" }, "")).toMatchObject({ eventId: "", eventColor: "RED" });
  });
});

describe("the edits of messages (D67)", () => {
  test("are kept by an update without on_change, and ended by KEEP and by the type DIGEST", () => {
    const edits = newAnnouncement(id, { ...params, onChange: "EDIT" }, eventId);
    expect(edits).toMatchObject({ onChange: "EDIT" });
    expect(newAnnouncement(id, { ...params, onChange: "KEEP" }, eventId)).not.toHaveProperty("onChange");
    const next = (changes: object) => {
      const changed = changeAnnouncement({ ...edits, standsSince: 1 }, { guildId, id, ...changes }, undefined);
      return "next" in changed ? changed.next : changed;
    };
    expect(next({ info: "new" })).toMatchObject({ onChange: "EDIT" });
    expect(next({ onChange: "KEEP" })).not.toHaveProperty("onChange");
    const digest = { calendarNumber: 1, frequency: "DAILY", time: "09:00" };
    expect(next({ type: "DIGEST", digest })).not.toHaveProperty("onChange");
  });
});

describe("the clean-up of messages (D68)", () => {
  test("is kept by an update without clean_up, and ended by null and by the type DIGEST, without a new rule", () => {
    const cleaned = newAnnouncement(id, { ...params, cleanUp: 0 }, eventId);
    expect(cleaned).toMatchObject({ cleanUp: 0 });
    expect(newAnnouncement(id, params, eventId)).not.toHaveProperty("cleanUp");
    const changed = (changes: object) =>
      changeAnnouncement({ ...cleaned, standsSince: 1 }, { guildId, id, ...changes }, undefined);
    expect(changed({ info: "new" })).toMatchObject({ next: { cleanUp: 0 } });
    expect(changed({ cleanUp: 60 })).toMatchObject({ next: { cleanUp: 60 }, restartsRule: false });
    expect(changed({ cleanUp: null })).not.toHaveProperty("next.cleanUp");
    const digest = { calendarNumber: 1, frequency: "DAILY", time: "09:00" };
    expect(changed({ type: "DIGEST", digest })).not.toHaveProperty("next.cleanUp");
    expect(changed({ type: "DIGEST", digest, cleanUp: 5 })).toMatchObject({
      refusal: "INVALID_REQUEST",
      problems: [{ field: "cleanUp", code: "CONFLICTING" }],
    });
  });
});

describe("an update", () => {
  test("keeps the fields that it does not name", () => {
    expect(change({ channel: "7" })).toEqual({
      next: { ...newAnnouncement(id, params, eventId), channel: "7", revision: 2 },
      restartsRule: false,
      isUnchanged: false,
    });
  });

  test("with null clears the info, and without it keeps it (D6)", () => {
    const withInfo = { ...stored, info: "hello" };
    expect(changeAnnouncement(withInfo, { guildId, id, info: null }, undefined)).toMatchObject({ next: { info: "" } });
    expect(changeAnnouncement(withInfo, { guildId, id }, undefined)).toMatchObject({ next: { info: "hello" } });
  });

  test("sets a pause, keeps it, and ends it with null; none of them starts the rule again (D62)", () => {
    const paused = { ...stored, pausedUntil: 5_000, pauseEndedAt: 2_000 };
    expect(change({ pausedUntil: 5_000 })).toMatchObject({ next: { pausedUntil: 5_000 }, restartsRule: false });
    expect(changeAnnouncement(paused, { guildId, id, channel: "7" }, undefined)).toMatchObject({
      next: { pausedUntil: 5_000, pauseEndedAt: 2_000 },
    });
    const ended = changeAnnouncement(paused, { guildId, id, pausedUntil: null }, undefined);
    expect(ended).toMatchObject({ next: { pauseEndedAt: 2_000 }, restartsRule: false });
    expect(ended).not.toHaveProperty("next.pausedUntil");
  });

  test("sets the calendar of holidays, keeps it, and removes it with null; none of them starts the rule again (D66)", () => {
    expect(change({ skipOn: 2 })).toMatchObject({ next: { skipOn: 2 }, restartsRule: false });
    const skipping = { ...stored, skipOn: 2 };
    expect(changeAnnouncement(skipping, { guildId, id, channel: "7" }, undefined)).toMatchObject({
      next: { skipOn: 2 },
    });
    const removed = changeAnnouncement(skipping, { guildId, id, skipOn: null }, undefined);
    expect(removed).toMatchObject({ restartsRule: false });
    expect(removed).not.toHaveProperty("next.skipOn");
  });

  test("to a new type needs that type's field in the same request, and clears the other (D27)", () => {
    expect(change({ type: "COLOR" })).toMatchObject({
      refusal: "INVALID_REQUEST",
      problems: [{ field: "eventColor" }],
    });
    expect(change({ type: "COLOR", eventColor: "BLUE" })).toMatchObject({
      next: { type: "COLOR", eventId: "", eventColor: "BLUE" },
    });
    expect(change({ type: "RECUR" })).toMatchObject({ refusal: "INVALID_REQUEST", problems: [{ field: "eventId" }] });
  });

  test.each([{ eventId: "" }, { type: "SPECIFIC", eventId: "" }, { type: "RECUR", eventId: "" }])(
    "can't take the event from a type that needs one: %j (api.md 4.1)",
    (changes) => {
      const problems = [{ field: "eventId", code: "REQUIRED" }];
      expect(change(changes)).toMatchObject({ refusal: "INVALID_REQUEST", problems });
    },
  );

  test("may send back the empty event of a type that uses none (D27)", () => {
    expect(change({ type: "UNIVERSAL", eventId: "" })).toMatchObject({ next: { type: "UNIVERSAL", eventId: "" } });
  });

  test("that names the present type needs no reference (api.md 4.1)", () => {
    expect(change({ type: "SPECIFIC" })).toMatchObject({ next: { eventId }, restartsRule: false });
  });

  test("with a reference that its type does not use ignores it (D27)", () => {
    expect(change({ eventColor: "BLUE" })).toMatchObject({ next: { eventColor: "NONE" }, restartsRule: false });
  });

  test("of one part of the lead time is refused when the whole is too long, naming that part (D25)", () => {
    expect(change({ hours: 8784 })).toMatchObject({ refusal: "INVALID_REQUEST", problems: [{ field: "hours" }] });
    expect(change({ hours: 8783 })).toMatchObject({ next: { hours: 8783 } });
  });

  test.each([
    ["enabled", { ...stored, enabled: false }, { enabled: true }, true],
    ["disabled", stored, { enabled: false }, false],
    ["re-timed", stored, { minutes: 31 }, true],
    ["with the same lead time in other parts", stored, { hours: 0, minutes: 90 }, false],
    ["with another type", stored, { type: "UNIVERSAL" as const }, true],
    ["with another channel", stored, { channel: "5" }, false],
    ["with another text", stored, { info: "new", infoOnly: true, subscribersUser: ["1"] }, false],
  ])("%s restarts the rule: %#", (_what, before, changes, restartsRule) => {
    expect(changeAnnouncement(before, { guildId, id, ...changes }, undefined)).toMatchObject({ restartsRule });
  });
});

describe("a reference (D24)", () => {
  const series = { eventId, recurs: true } as EventView;

  test("of RECUR is the series: the suffix of an occurrence is removed", () => {
    expect(referredId("RECUR", `${eventId}_20261121T200000Z`)).toBe(eventId);
    expect(referredId("SPECIFIC", `${eventId}_20261121T200000Z`)).toBe(`${eventId}_20261121T200000Z`);
  });

  test("of RECUR on an event that does not recur is refused", () => {
    expect(eventReference("RECUR", { ...series, recurs: false })).toMatchObject({ problems: [{ field: "eventId" }] });
    expect(eventReference("RECUR", series)).toBe(eventId);
  });

  test("to an unknown event is not found", () => {
    expect(eventReference("SPECIFIC", null)).toEqual({ refusal: "EVENT_NOT_FOUND" });
  });
});

describe("the offsets of an announcement (D54)", () => {
  const dayBefore = { anchor: "START", minutes: -1_470 } as const;
  const atEnd = { anchor: "END", minutes: 0 } as const;
  const withOffsets: Announcement = {
    ...newAnnouncement(id, { ...params, hours: 24, minutes: 30, offsets: [atEnd, dayBefore] }, eventId),
    standsSince: 1000,
  };
  const changed = (changes: object) => changeAnnouncement(withOffsets, { guildId, id, ...changes }, undefined);

  test("are stored with the lead time that clients without offsets see", () => {
    expect(withOffsets).toMatchObject({ hours: 24, minutes: 30, offsets: [atEnd, dayBefore] });
    const { hours: _, minutes: __, ...rest } = params;
    expect(newAnnouncement(id, { ...rest, offsets: [atEnd] }, eventId)).toMatchObject({ hours: 0, minutes: 0 });
    expect(newAnnouncement(id, params, eventId)).not.toHaveProperty("offsets");
  });

  test("stay when a client sends back the lead time that it sees, and give way to another one", () => {
    const same = { next: { offsets: [atEnd, dayBefore] }, restartsRule: false };
    expect(changed({ info: "new" })).toMatchObject(same);
    expect(changed({ hours: 24, minutes: 30 })).toMatchObject(same);
    expect(changed({ hours: 2 })).toMatchObject({ next: { hours: 2, minutes: 30 }, restartsRule: true });
    expect(changed({ hours: 2 })).not.toHaveProperty("next.offsets");
  });

  test("replace the lead time and other offsets, and begin the rule anew only if they differ", () => {
    expect(change({ offsets: [atEnd] })).toMatchObject({
      next: { hours: 0, minutes: 0, offsets: [atEnd] },
      restartsRule: true,
    });
    expect(change({ offsets: [{ anchor: "START", minutes: -90 }] })).toMatchObject({ restartsRule: true });
    expect(changed({ offsets: [dayBefore, atEnd] })).toMatchObject({ restartsRule: false });
    expect(changed({ offsets: [dayBefore] })).toMatchObject({ next: { offsets: [dayBefore] }, restartsRule: true });
    expect(changed({ offsets: [dayBefore, { ...atEnd, minutes: 1 }] })).toMatchObject({ restartsRule: true });
  });
});
