import { expect, test } from "@jest/globals";
import type { PostOffset } from "../../contracts/announcement-offsets.ts";
import type { DraftChange } from "../../contracts/draft-changes.contract.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { isRefusedDraft } from "../../contracts/owner-drafts.contract.ts";
import { draftedAnnouncements } from "./drafted-announcements.ts";

const guildId = "375357265198317579" as GuildId;
const stored = { rules: [], named: new Map() };
const offsets: readonly PostOffset[] = [
  { anchor: "START", minutes: -60 },
  { anchor: "END", minutes: 5 },
];

test("a drafted announcement with offsets has a rule with these offsets", () => {
  const create: DraftChange = { action: "CREATE_ANNOUNCEMENT", channel: "99", type: "UNIVERSAL", offsets, info: "" };
  const drafted = draftedAnnouncements(stored, { guildId, changes: [create], now: 1_000, references: [] });
  expect(isRefusedDraft(drafted) ? drafted : drafted.after).toMatchObject([{ offsets, hours: 1, minutes: 0 }]);
});

test("a drafted calendar of holidays is refused if the guild may not have it, or as a sixth one (D66)", () => {
  const create = (skipOn: number): DraftChange => ({
    action: "CREATE_ANNOUNCEMENT",
    channel: "99",
    type: "UNIVERSAL",
    hours: 0,
    minutes: 0,
    info: "",
    skipOn,
  });
  const drafted = (numbers: readonly number[]) =>
    draftedAnnouncements(stored, {
      guildId,
      changes: numbers.map(create),
      now: 1_000,
      references: [],
      maxCalendars: [...numbers.map(() => 7), 7],
    });
  expect(drafted([2, 3, 4, 5, 6, 6])).toMatchObject({ after: [2, 3, 4, 5, 6, 6].map((skipOn) => ({ skipOn })) });
  expect(drafted([2, 8])).toEqual({ refused: { at: 1, refusal: { refusal: "CALENDAR_NOT_FOUND" } } });
  expect(drafted([2, 3, 4, 5, 6, 7])).toMatchObject({
    refused: { at: 5, refusal: { refusal: "INVALID_REQUEST", problems: [{ field: "skipOn", code: "TOO_MANY" }] } },
  });
});
