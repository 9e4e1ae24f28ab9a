import { expect, test } from "@jest/globals";
import type { PostOffset } from "../../contracts/announcement-offsets.ts";
import type { DraftChange } from "../../contracts/draft-changes.contract.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { isRefusedDraft } from "../../contracts/owner-drafts.contract.ts";
import { draftedAnnouncements } from "./drafted-announcements.ts";

const guildId = "375357265198317579" as GuildId;
const offsets: readonly PostOffset[] = [
  { anchor: "START", minutes: -60 },
  { anchor: "END", minutes: 5 },
];

test("a drafted announcement with offsets has a rule with these offsets", () => {
  const create: DraftChange = { action: "CREATE_ANNOUNCEMENT", channel: "99", type: "UNIVERSAL", offsets, info: "" };
  const stored = { rules: [], named: new Map() };
  const drafted = draftedAnnouncements(stored, { guildId, changes: [create], now: 1_000, references: [] });
  expect(isRefusedDraft(drafted) ? drafted : drafted.after).toMatchObject([{ offsets, hours: 1, minutes: 0 }]);
});
