import { OperationTimeout } from "../../mixins/async/timeout.ts";
import { TurnsByKey } from "../../mixins/async/turns-by-key.ts";
import { definedFields } from "../../mixins/objects/defined-fields.ts";
import { TimeSlice } from "../../mixins/async/time-slice.ts";
import { type DigestEntry, type DigestRule, MAX_DIGEST_ENTRIES } from "../contracts/announcement-digests.ts";
import type { EventView } from "../contracts/calendar-events.contract.ts";
import { isRefusal, refuse, type Refusal } from "../contracts/errors.ts";
import type { GuildId } from "../contracts/ids.ts";
import type { DueDigests, Occurrence, ReadDigestParams } from "../contracts/occurrences.contract.ts";
import { type Calendar, calendarByNumber } from "./domain/calendar/calendar.ts";
import { digestOn, digestsStarting } from "./domain/digest/digest-occurrence.ts";
import type { SoonestOccurrences } from "./domain/event/soonest-occurrences.ts";
import type { CalendarsStore } from "./store/calendars.store.ts";
import type { WindowPages } from "./window-pages.ts";

/** Adds the digests that are due in their window, without entries. A digest of a calendar that the guild may not have is none. */
export async function collectDigests(
  { rules, window }: DueDigests,
  written: readonly Calendar[],
  { guildId, texts, changedSince = 0 }: { guildId: GuildId; texts: boolean; changedSince: number | undefined },
  isAllowed: (calendarNumber: number) => Promise<boolean>,
  found: SoonestOccurrences<Occurrence>,
): Promise<void> {
  const numbers = [...new Set(rules.map(({ digest }) => digest.calendarNumber))];
  const allowed = new Map(await Promise.all(numbers.map(async (number) => [number, await isAllowed(number)] as const)));
  const slices = new TimeSlice();
  for (const rule of distinct(rules)) {
    const { calendarNumber } = rule.digest;
    if (allowed.get(calendarNumber) !== true) continue;
    const calendar = calendarByNumber(guildId, written, calendarNumber);
    for (const digest of digestsStarting(rule, window, calendar, texts)) {
      if (digest.startsAt > found.horizon) break;
      if (digest.scheduledAt >= changedSince) found.add(digest);
      if (slices.isOver) await slices.rest();
    }
  }
}

/** A former rule may have the schedule of the present one. */
function distinct(rules: readonly DigestRule[]): DigestRule[] {
  const known = new Map<string, DigestRule>();
  for (const rule of rules) {
    const { announcementId, digest } = rule;
    const { calendarNumber, frequency, weekday, time } = digest;
    const key = [announcementId, calendarNumber, frequency, weekday, time].join(" ");
    if (!known.has(key)) known.set(key, rule);
  }
  return [...known.values()];
}

/**
 * The digests of a guild are read one after the other, with a pause as long as each read: a guild may have a thousand at one instant,
 * and a read of a large calendar takes half a second of the database. Dispatch waits a second for a response, and asks again later.
 */
export const GUILD_TURNS = { maxWaiting: 1_000, maxWaitMs: 900, restFactor: 1, maxRestMs: 1_000 };

/** Dispatch reads a digest within the second in which it is due. */
export const DIGEST_READ_MS = 500;

/** Gives each guild one read of a digest at a time (D65). The result refuses a read that gets no turn. */
export function digestTurns(
  read: ReturnType<typeof digestReader>,
): (params: ReadDigestParams) => Promise<Occurrence | null | Refusal> {
  const turns = new TurnsByKey<GuildId>(GUILD_TURNS);
  return async (params) => {
    const turn = await turns.run(params.guildId, async () => ({ digest: await read(params) }));
    return turn === undefined ? refuse("TOO_MANY_REQUESTS") : turn.digest;
  };
}

/**
 * Returns a function that reads the digest of a date, with the first events of its days. Events that have begun before are among
 * them (D17).
 */
export function digestReader(
  calendars: Pick<CalendarsStore, "find">,
  pages: Pick<WindowPages, "page">,
): (params: ReadDigestParams) => Promise<Occurrence | null> {
  return async ({ guildId, announcementId, digest, date }) => {
    const { calendarNumber, color } = digest;
    const calendar = await calendars.find(guildId, calendarNumber);
    const found = digestOn({ announcementId, digest }, date, calendar, true);
    if (found?.digest === undefined) return null;
    const window = { from: found.startsAt, until: found.endsAt };
    const page = await pages.page({ guildId, calendarNumber }, window, { limit: MAX_DIGEST_ENTRIES }, color);
    if (isRefusal(page)) throw new Error(`the events of a digest: ${page.refusal}`);
    // A page that ends early has read for as long as it may.
    const hasMore = page.next !== undefined;
    if (hasMore && page.entries.length < MAX_DIGEST_ENTRIES) {
      throw new OperationTimeout(`the events of a digest in guild ${guildId}`);
    }
    const entries = page.entries.map(entryOf);
    return { ...found, digest: { ...found.digest, entries, ...(hasMore ? { hasMore } : {}) } };
  };
}

function entryOf({ startsAt, endsAt, allDay, startDate, endDate, name, location }: EventView): DigestEntry {
  return { startsAt, endsAt, ...definedFields({ allDay, startDate, endDate, name, location }) };
}
