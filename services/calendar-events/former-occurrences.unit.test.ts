import { expect, test } from "@jest/globals";
import type { EventId, GuildId } from "../contracts/ids.ts";
import type { Override } from "./domain/event/override.ts";
import { formerOccurrences } from "./former-occurrences.ts";
import type { FormerEvent } from "./store/former-events.store.ts";

const GUILD = "1" as GuildId;
const SERIES = "e1" as EventId;
const DAY = 86_400_000;

/** The former daily starts of a series within ten days, in days. */
async function formerDays(overrides: readonly Override[], missingFrom?: number): Promise<number[]> {
  const anchor = { timezone: "UTC", version: 0 };
  const recurrence = { frequency: "DAILY", count: -1, interval: 1 } as const;
  const former: FormerEvent = {
    event: {
      id: SERIES,
      guildId: GUILD,
      calendarNumber: 1,
      revision: 0,
      startsAt: 0,
      endsAt: 1,
      color: "NONE",
      recurring: { recurrence, anchor, hasOverrides: true },
      scheduledAt: 0,
      coloredAt: 0,
    },
    overrides,
    ...(missingFrom !== undefined && { missingFrom }),
    until: 5,
  };
  const params = { guildId: GUILD, windows: [{ from: 0, until: 10 * DAY }], limit: 1, formerAfter: 0 };
  const found = await formerOccurrences(
    params,
    { formerEvents: async () => [former] },
    { list: async () => [] },
    async () => true,
  );
  return found.map(({ startsAt }) => startsAt / DAY).toSorted((one, other) => one - other);
}

function moved(from: number, to: number): Override {
  const times = { startsAt: to * DAY, endsAt: to * DAY + 1, anchor: { timezone: "UTC", version: 0 } };
  return { eventId: SERIES, original: from * DAY, cancelled: false, texts: {}, moved: times };
}

test("an occurrence that was moved into the window or out of it is where it was before the change", async () => {
  await expect(formerDays([moved(2, 20), moved(30, 4.5), moved(5, 5.5)])).resolves.toEqual([
    0, 1, 3, 4, 4.5, 5.5, 6, 7, 8, 9,
  ]);
});

test("the occurrences of which it is not known whether they were changed are left out", async () => {
  await expect(formerDays([moved(2, 2.5)], 4 * DAY)).resolves.toEqual([0, 1, 2.5, 3]);
});
