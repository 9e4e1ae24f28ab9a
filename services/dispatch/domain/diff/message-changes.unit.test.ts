import { describe, expect, test } from "@jest/globals";
import { sampleAnnouncement } from "../../../../test/fixtures/dispatch-samples.ts";
import { onePlanned } from "../../../../test/fixtures/plan-samples.ts";
import type { Announcement } from "../../../contracts/announcements.contract.ts";
import type { GuildSettings } from "../../../contracts/guild-settings.contract.ts";
import type { OccurrenceId } from "../../../contracts/ids.ts";
import { messageChanges } from "./message-changes.ts";

const settings = { lang: "ENGLISH", twelveHour: false, prefix: "!" } as GuildSettings;
const stored = sampleAnnouncement();
const post = onePlanned({ announcements: [stored] });

function reasonAfter(
  change: { readonly announcement?: Partial<Announcement>; readonly settings?: Partial<GuildSettings> },
  altered: readonly OccurrenceId[] = [],
): string | undefined {
  const announcement = { ...stored, ...change.announcement };
  const changes = messageChanges(
    { before: settings, after: { ...settings, ...change.settings } },
    new Map([[stored.id, stored]]),
    [{ id: stored.id, announcement }],
  );
  return changes.of(new Set(altered))({ before: post, after: post });
}

describe("the message of a post that is due at the same time", () => {
  test.each<Partial<Announcement>>([
    { info: "bring potions" },
    { infoOnly: true },
    { template: { title: "{name}" } },
    { subscribersRole: ["375357265198317580"] },
    { subscribersUser: ["375357265198317580"] },
    { digest: { calendarNumber: 1, frequency: "DAILY", time: "18:30", days: 2 } },
  ])("is another one after the announcement has %p", (announcement) => {
    expect(reasonAfter({ announcement })).toBe("the announcement was changed");
  });

  test.each<Partial<GuildSettings>>([{ lang: "SPANISH" }, { twelveHour: true }, { template: { body: "{name}" } }])(
    "is another one after the settings have %p",
    (changed) => {
      expect(reasonAfter({ settings: changed })).toBe("the settings were changed");
    },
  );

  test("is another one after its event was changed", () => {
    expect(reasonAfter({}, [post.occurrenceId])).toBe("the event was changed");
  });

  test("stays the same after changes that it does not show", () => {
    expect(reasonAfter({ announcement: { hours: 7 }, settings: { prefix: "?" } })).toBeUndefined();
  });
});
