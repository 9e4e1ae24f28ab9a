import { describe, expect, test } from "@jest/globals";
import { newEventId } from "../../calendar-events/domain/event/event-id.ts";
import { POST_STATES } from "../../contracts/dispatch.contract.ts";
import type { EncodedChange } from "../../contracts/guild-changes.contract.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { WEBHOOK_TYPES } from "../../contracts/webhooks.contract.ts";
import { bodyOf, changedFields, creationTime, kindsOf, typeOf } from "./changed-record.ts";

const NOW = 1_795_287_600_000;
const idOf = (createdAt: number) => newEventId(createdAt, new Uint8Array(15));
const known = { revision: 1, digests: [] };

function change(fields: Partial<EncodedChange> = {}): EncodedChange {
  return { kind: "event", id: idOf(NOW), revision: 1, changedAt: NOW, deleted: false, json: "{}", ...fields };
}

describe("the type of a change", () => {
  const of = (fields: Partial<EncodedChange>, state: object = {}) =>
    typeOf(change(fields), { completeUntil: NOW - 60_000, known: undefined, ...state });

  test("of an event is created for its first revision, and for a later one of an event that is new since the last read", () => {
    expect(of({})).toBe("event.created");
    expect(of({ revision: 3 })).toBe("event.created");
    expect(of({ revision: 3 }, { known })).toBe("event.updated");
    expect(of({ revision: 3, id: idOf(NOW - 3_600_000) })).toBe("event.updated");
    expect(of({ revision: 3, deleted: true })).toBe("event.deleted");
  });

  test("has a time of creation that is the one in the event's id", () => {
    expect([0, 1, NOW, 253_402_300_799_999].map((time) => creationTime(idOf(time)))).toEqual([
      0,
      1,
      NOW,
      253_402_300_799_999,
    ]);
  });

  test("of a post is its outcome; a skipped post and one without an outcome have none", () => {
    const types = POST_STATES.map((postState) => [postState, of({ kind: "post" }, { postState })]);
    expect(Object.fromEntries(types)).toEqual({
      planned: undefined,
      sending: undefined,
      sent: "announcement.posted",
      failed: "announcement.failed",
      unknown: "announcement.failed",
      missed: "announcement.missed",
      cancelled: "announcement.cancelled",
      skipped: undefined,
    });
  });

  test("of settings and calendars is updated, and other kinds are not reported", () => {
    const kinds = (["settings", "calendar", "announcement", "webhook"] as const).map((kind) => of({ kind }));
    expect(kinds).toEqual(["settings.updated", "calendar.updated", undefined, undefined]);
  });

  test("is of a kind that is read for the type", () => {
    expect(kindsOf(["event.created", "event.deleted", "announcement.missed"])).toEqual(["event", "post"]);
    expect(kindsOf(WEBHOOK_TYPES).toSorted()).toEqual(["calendar", "event", "post", "settings"]);
  });
});

test("the changed fields are those with another value, and those that came or went", () => {
  const before = ["name:1", "color:2", "image:3"];
  expect(changedFields(before, ["name:9", "color:2", "a:b:4"])).toEqual(["a:b", "image", "name"]);
  expect(changedFields(before, before)).toEqual([]);
});

describe("the body of a request", () => {
  const parts = { type: "settings.updated", webhookId: "w", guildId: "375357265198317579" as GuildId } as const;

  test("has the record as the API encodes it, with every digit of 64-bit ids", () => {
    const json = '{"guild_id":375357265198317579,"prefix":"\\"}?"}';
    const body = bodyOf({
      ...parts,
      change: change({ kind: "settings", id: "g", revision: 2, json }),
      changed: ["prefix"],
    });
    expect(body).toContain(`"settings":${json}}}`);
    expect(JSON.parse(body)).toMatchObject({
      type: "settings.updated",
      timestamp: new Date(NOW).toISOString(),
      data: { webhook_id: "w", guild_id: "375357265198317579", id: "g", revision: 2, changed_fields: ["prefix"] },
    });
  });

  test("has no record if it is deleted, and no fields if the revision before is not known", () => {
    const { json: _, ...deleted } = change({ deleted: true });
    expect(JSON.parse(bodyOf({ ...parts, type: "event.deleted", change: deleted }))).toEqual({
      type: "event.deleted",
      timestamp: new Date(NOW).toISOString(),
      data: { webhook_id: "w", guild_id: parts.guildId, id: deleted.id, revision: 1 },
    });
  });
});
