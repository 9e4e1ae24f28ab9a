import { describe, expect, test } from "@jest/globals";
import type { Change } from "../../../contracts/change-feed.contract.ts";
import type { GuildId } from "../../../contracts/ids.ts";
import { newPlannedChanges, type PlannedChange } from "./planned-changes.ts";

const PLANNED: PlannedChange = { feed: "calendar-events", id: "event", revision: 2, since: 1_000 };
const CHANGE: Change = { id: "event", guildId: "1" as GuildId, revision: 2, changedAt: 1_000, deleted: false };

function isIncluded(differs: Partial<Change>, planned: Partial<PlannedChange> = {}, since = 0): boolean {
  const changes = newPlannedChanges();
  changes.add([{ ...PLANNED, ...planned }]);
  return changes.includes("calendar-events", { ...CHANGE, ...differs }, since);
}

describe("a change counts as planned", () => {
  test("after a plan that includes it", () => {
    expect(isIncluded({})).toBe(true);
  });

  test("after a plan that begins as early as the posts that are needed, if the change is older", () => {
    expect(isIncluded({ changedAt: 500 }, {}, 1_000)).toBe(true);
  });

  test.each([
    ["another revision", {}, { revision: 1 }],
    ["another record", {}, { id: "other" }],
    ["another feed's record", {}, { feed: "announcements" as const }],
    ["a plan that begins after the change", {}, { since: 1_001 }],
    ["a deletion, which may have the revision of the change before", { deleted: true }, {}],
  ])("but not after %s", (_, change, planned) => {
    expect(isIncluded(change, planned)).toBe(false);
  });
});
