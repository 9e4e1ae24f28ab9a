import { describe, expect, test } from "@jest/globals";
import {
  announcementValues,
  changedAnnouncementFields,
  NEW_ANNOUNCEMENT,
  newAnnouncementFields,
} from "./announcement-form.js";

const ZONE = "Europe/Berlin";

describe("the form of an announcement", () => {
  test("creates with the reference that its type needs, and no other", () => {
    const values = { ...NEW_ANNOUNCEMENT, channel: "1", eventId: "e", roles: " everyone, 12\n13 " };
    expect(newAnnouncementFields(values, ZONE)).toEqual({
      channel: "1",
      type: "UNIVERSAL",
      hours: 1,
      minutes: 0,
      info: "",
      info_only: false,
      enabled: true,
      subscribers_role: ["everyone", "12", "13"],
      subscribers_user: [],
    });
    expect(newAnnouncementFields({ ...values, type: "RECUR" }, ZONE)).toMatchObject({ event_id: "e" });
    expect(newAnnouncementFields({ ...values, type: "COLOR" }, ZONE)).toMatchObject({ event_color: "NONE" });
  });

  test("has offsets or a lead time, and a lead time as an offset where offsets were removed (D54)", () => {
    const values = { ...NEW_ANNOUNCEMENT, offsets: "-1440, END 0" };
    const offsets = [
      { anchor: "START", minutes: -1440 },
      { anchor: "END", minutes: 0 },
    ];
    const created = newAnnouncementFields(values, ZONE);
    expect(created).toMatchObject({ offsets });
    expect(Object.keys(created)).not.toEqual(expect.arrayContaining(["hours"]));
    expect(newAnnouncementFields(NEW_ANNOUNCEMENT, ZONE)).not.toHaveProperty("offsets");
    expect(newAnnouncementFields({ ...values, type: "DIGEST" }, ZONE)).not.toHaveProperty("offsets");
    expect(changedAnnouncementFields(NEW_ANNOUNCEMENT, values, ZONE)).toEqual({ offsets });
    expect(changedAnnouncementFields(values, { ...values, offsets: "" }, ZONE)).toEqual({
      offsets: [{ anchor: "START", minutes: -60 }],
    });
    expect(changedAnnouncementFields(values, { ...values, info: "i" }, ZONE)).toEqual({ info: "i" });
  });

  test("edits its messages if it says so, and not those of a digest (D67)", () => {
    const edited = { ...NEW_ANNOUNCEMENT, editsMessages: true };
    expect(newAnnouncementFields(edited, ZONE)).toMatchObject({ on_change: "EDIT" });
    expect(newAnnouncementFields(NEW_ANNOUNCEMENT, ZONE)).not.toHaveProperty("on_change");
    expect(changedAnnouncementFields(edited, NEW_ANNOUNCEMENT, ZONE)).toEqual({ on_change: "KEEP" });
    expect(newAnnouncementFields({ ...edited, type: "DIGEST" }, ZONE)).not.toHaveProperty("on_change");
  });

  test.each([
    ["a calendar of holidays (D66)", "skipOn", "skip_on", 2],
    ["a clean-up (D68)", "cleanUp", "clean_up", 0],
  ])("has %s if one is given, removes it with null, and has none in a digest", (_what, name, field, value) => {
    const values = { ...NEW_ANNOUNCEMENT, [name]: String(value) };
    expect(newAnnouncementFields(values, ZONE)).toMatchObject({ [field]: value });
    expect(newAnnouncementFields(NEW_ANNOUNCEMENT, ZONE)).not.toHaveProperty(field);
    expect(newAnnouncementFields({ ...values, type: "DIGEST" }, ZONE)).not.toHaveProperty(field);
    expect(changedAnnouncementFields(NEW_ANNOUNCEMENT, values, ZONE)).toEqual({ [field]: value });
    expect(changedAnnouncementFields(values, { ...values, [name]: "" }, ZONE)).toEqual({ [field]: null });
  });

  test("has a template of its texts, keeps the list of its fields, and removes it with the last text (D61)", () => {
    const values = { ...NEW_ANNOUNCEMENT, channel: "1", title: "{name}" };
    expect(newAnnouncementFields(values, ZONE)).toMatchObject({ template: { title: "{name}" } });
    const stored = { fields: ["TIMES"], body: "{info}" };
    const before = { ...values, title: "", body: stored.body, templateFields: JSON.stringify(stored.fields) };
    expect(changedAnnouncementFields(before, before, ZONE)).toEqual({});
    expect(changedAnnouncementFields(before, { ...before, title: "T" }, ZONE)).toEqual({
      template: { ...stored, title: "T" },
    });
    expect(changedAnnouncementFields(values, { ...values, title: "" }, ZONE)).toEqual({ template: null });
  });

  test("sends a digest as a whole, and none of the fields that it has no use for (D65)", () => {
    const values = { ...NEW_ANNOUNCEMENT, channel: "1", type: "DIGEST", title: "{name}" };
    const digest = { calendar_number: 1, frequency: "DAILY", time: "09:00", days: 1 };
    expect(newAnnouncementFields(values, ZONE)).toEqual({
      channel: "1",
      type: "DIGEST",
      info: "",
      digest,
      enabled: true,
      subscribers_role: [],
      subscribers_user: [],
    });
    const weekly = { ...values, digestFrequency: "WEEKLY", digestColor: "RED", digestEmptyText: "None" };
    const further = { frequency: "WEEKLY", weekday: "MO", color: "RED", empty_text: "None" };
    expect(changedAnnouncementFields(values, weekly, ZONE)).toEqual({ digest: { ...digest, ...further } });
    expect(changedAnnouncementFields({ ...values, type: "UNIVERSAL" }, values, ZONE)).toEqual({
      type: "DIGEST",
      digest,
    });
    expect(changedAnnouncementFields(values, { ...values, type: "UNIVERSAL" }, ZONE)).toEqual({ type: "UNIVERSAL" });
  });

  test("updates only what was changed, and a new type with its reference (D27)", () => {
    const before = announcementValues(
      {
        id: "a",
        channel: "1",
        type: "SPECIFIC",
        event_id: "e",
        event_color: "NONE",
        hours: 1,
        minutes: 30,
        info: "",
        enabled: true,
        info_only: false,
        subscribers_role: ["everyone"],
        subscribers_user: [],
        paused_until: Date.parse("2026-12-24T17:00:30Z"),
      },
      ZONE,
    );
    expect(before.pausedUntil).toBe("2026-12-24T18:00");
    expect(changedAnnouncementFields(before, before, ZONE)).toEqual({});
    expect(changedAnnouncementFields(before, { ...before, hours: "", users: "7" }, ZONE)).toEqual({
      hours: 0,
      subscribers_user: ["7"],
    });
    const paused = { ...before, pausedUntil: "2026-12-25T18:00" };
    expect(changedAnnouncementFields(before, paused, ZONE)).toEqual({
      paused_until: Date.parse("2026-12-25T17:00:00Z"),
    });
    expect(changedAnnouncementFields(before, { ...before, pausedUntil: "" }, ZONE)).toEqual({ paused_until: null });
    expect(changedAnnouncementFields(before, { ...before, type: "RECUR" }, ZONE)).toEqual({
      type: "RECUR",
      event_id: "e",
    });
  });
});
