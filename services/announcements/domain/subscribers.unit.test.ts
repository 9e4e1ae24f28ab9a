import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { paramsCheck } from "../../../mixins/actions/check-params.ts";
import {
  type Announcement,
  type UpdateAnnouncementParams,
  updateAnnouncement,
} from "../../contracts/announcements.contract.ts";
import { isRefusal } from "../../contracts/errors.ts";
import type { AnnouncementId, GuildId } from "../../contracts/ids.ts";
import { changeAnnouncement, newAnnouncement } from "./announcement.ts";
import { changedSubscribers } from "./subscribers.ts";

const guildId = "375357265198317579" as GuildId;
const id = "4a1c9a52-6c4e-4a53-9f0e-111111111111" as AnnouncementId;
const params = { guildId, channel: "9", type: "UNIVERSAL", hours: 0, minutes: 0, info: "" } as const;
const lists = { subscribersRole: ["everyone", "5"], subscribersUser: ["1", "2"] };
const stored: Announcement = { ...newAnnouncement(id, { ...params, ...lists }, ""), standsSince: 1 };
const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, at) => String(from + at));

const change = (changes: Partial<UpdateAnnouncementParams>) =>
  changeAnnouncement(stored, { guildId, id, ...changes }, undefined);
const problemsOf = (changes: Partial<UpdateAnnouncementParams>) =>
  paramsCheck(updateAnnouncement)({ guildId, id, ...changes }).map(({ field, code }) => [field, code]);

describe("subscribers that are added and removed (D36)", () => {
  test("are appended to the stored ones or removed from them; the other list stays", () => {
    expect(change({ subscribersUserAdd: ["3", "1", "3"], subscribersRoleRemove: ["everyone", "77"] })).toMatchObject({
      next: { subscribersRole: ["5"], subscribersUser: ["1", "2", "3"], revision: 2 },
      restartsRule: false,
      isUnchanged: false,
    });
  });

  test("that exist already, or do not exist to be removed, change nothing and make no revision", () => {
    const unchanged = { next: stored, restartsRule: false, isUnchanged: true };
    expect(change({ subscribersUserAdd: ["1"], subscribersRoleRemove: ["6"] })).toEqual(unchanged);
    expect(change({ subscribersUserAdd: [] })).toEqual(unchanged);
    expect(change({ subscribersUserAdd: ["1"], info: "" })).toMatchObject({
      isUnchanged: false,
      next: { revision: 2 },
    });
  });

  test("give the same lists as a set, in any order and with duplicates", () => {
    const entries = fc.array(fc.constantFrom(...numbered(8)), { maxLength: 6 });
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom(...numbered(8))), entries, entries, (users, add, removed) => {
        const remove = removed.filter((entry) => !add.includes(entry));
        const step = { subscribersUserAdd: add, subscribersUserRemove: remove };
        const apply = (before: readonly string[]) => {
          const after = changedSubscribers({ subscribersRole: [], subscribersUser: before }, { guildId, id, ...step });
          return isRefusal(after) ? [] : after.subscribersUser;
        };
        const once = apply(users);
        expect(new Set(once)).toEqual(new Set([...users, ...add].filter((entry) => !remove.includes(entry))));
        expect(new Set(once).size).toBe(once.length);
        expect(apply(once)).toEqual(once);
      }),
    );
  });

  test("beyond 1000 entries of a list are refused with 409, naming the field, and nothing is changed", () => {
    const full = { ...stored, subscribersUser: numbered(999) };
    const update = (add: string[], remove: string[] = []) =>
      changeAnnouncement(full, { guildId, id, subscribersUserAdd: add, subscribersUserRemove: remove }, undefined);
    expect(update(["5000"])).toMatchObject({ next: { subscribersUser: [...full.subscribersUser, "5000"] } });
    expect(update(["5000", "5001"])).toMatchObject({
      refusal: "TOO_MANY_SUBSCRIBERS",
      problems: [{ field: "subscribersUserAdd", code: "TOO_MANY" }],
    });
    expect(update(["5000", "5001"], ["0"])).toMatchObject({ isUnchanged: false });
  });

  test("together with the whole list of their kind are refused, and with that of the other kind accepted", () => {
    const whole = { subscribersUser: ["1"] };
    expect(problemsOf({ ...whole, subscribersUserAdd: ["2"], subscribersUserRemove: [] })).toEqual([
      ["subscribersUserAdd", "CONFLICTING"],
      ["subscribersUserRemove", "CONFLICTING"],
    ]);
    expect(problemsOf({ ...whole, subscribersRoleAdd: ["2"] })).toEqual([]);
  });

  test("in both the added and the removed ones are refused by their index", () => {
    expect(problemsOf({ subscribersRoleAdd: ["1", "here"], subscribersRoleRemove: ["here", "3"] })).toEqual([
      ["subscribersRoleAdd[1]", "CONFLICTING"],
    ]);
  });

  test("are checked like whole lists: by form, and at most 1000 in a request", () => {
    expect(problemsOf({ subscribersRoleAdd: ["everyone", "x"], subscribersUserRemove: ["everyone"] })).toEqual([
      ["subscribersRoleAdd[1]", "MALFORMED"],
      ["subscribersUserRemove[0]", "MALFORMED"],
    ]);
    expect(problemsOf({ subscribersUserAdd: numbered(1001) })).toEqual([["subscribersUserAdd", "TOO_MANY"]]);
  });
});
