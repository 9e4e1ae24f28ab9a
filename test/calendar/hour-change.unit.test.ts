import { describe, expect, test } from "@jest/globals";
import { sampleCalendar, sampleId } from "../fixtures/feed-samples.ts";
import { newMemoryPostStore } from "../lab/simulator/memory-post-store.ts";
import {
  type ArrivedNotification,
  ownersOf,
  receivingWebhooks,
  startNotifying,
} from "../lab/simulator/notified-guilds.ts";
import { newVirtualTime } from "../lab/simulator/virtual-time.ts";
import { newEvent } from "../../services/calendar-events/domain/event/create-event.ts";
import {
  announcedOccurrence,
  effectiveOccurrence,
} from "../../services/calendar-events/domain/event/effective-occurrence.ts";
import { seriesOf } from "../../services/calendar-events/domain/event/event.ts";
import { occurrencesStarting } from "../../services/calendar-events/domain/recurrence/occurrences.ts";
import { isRefusal } from "../../services/contracts/errors.ts";
import type { GuildId } from "../../services/contracts/ids.ts";
import type { Occurrence } from "../../services/contracts/occurrences.contract.ts";

/** Occurrences of the night, by default one in each minute; `OCCURRENCES=10000` for a long run (test/lab/README.md). */
const OCCURRENCES = Number(process.env["OCCURRENCES"] ?? 300);
/** An hour for ten thousand, since a busy machine takes very much longer. */
const TIMEOUT_MS = Math.max(120_000, OCCURRENCES * 360);
const GUILDS = 20;
const [MINUTE, HOUR] = [60_000, 3_600_000];
const BERLIN = sampleCalendar("Europe/Berlin");
const NIGHT_MINUTES = 300;
const LENGTH_MS = 30 * MINUTE;
/** The offsets from UTC of Berlin, by the minute of the local night. A time that does not exist has the offset before the gap. */
const NIGHTS = {
  "an hour is missing": { midnight: Date.UTC(2027, 2, 28), offset: (minute: number) => (minute < 180 ? 1 : 2) },
  "an hour comes twice": { midnight: Date.UTC(2027, 9, 31), offset: (minute: number) => (minute < 180 ? 2 : 1) },
};

/** A daily series with an occurrence in the night, at a minute after the local midnight. */
function occurrenceAt(n: number, midnight: number, offset: (minute: number) => number): Occurrence {
  const guildId = guildOf(n);
  // Two days before, at the same time of day by the offset of those days.
  const startsAt = midnight - 48 * HOUR + minuteOf(n) * MINUTE - offset(0) * HOUR;
  const event = newEvent(
    {
      guildId,
      calendarNumber: 1,
      startsAt,
      endsAt: startsAt + LENGTH_MS,
      recurs: true,
      recurrence: { frequency: "DAILY", count: -1, interval: 1 },
    },
    sampleId(n),
    BERLIN,
  );
  if (isRefusal(event)) throw new Error(event.refusal);
  const stored = { ...event, scheduledAt: 0, coloredAt: 0 };
  const series = seriesOf(stored, BERLIN);
  const [third] = occurrencesStarting(series!, { from: startsAt + 40 * HOUR, until: startsAt + 60 * HOUR }, 1);
  return announcedOccurrence(effectiveOccurrence(stored, third!, undefined, BERLIN)!, BERLIN);
}

const minuteOf = (n: number) => n % NIGHT_MINUTES;
const guildOf = (n: number) => String(1 + (n % GUILDS)) as GuildId;

describe.each(Object.entries(NIGHTS))("in a night in which %s (D59)", (_, { midnight, offset }) => {
  test(
    "every start and end is told at its instant, once and not early, across a restart of dispatch and lost responses",
    async () => {
      const before = midnight - 4 * HOUR;
      const time = newVirtualTime(1, before);
      const all = Array.from({ length: OCCURRENCES }, (__, n) => occurrenceAt(n, midnight, offset));
      const guildById = new Map(all.map(({ occurrenceId }, n) => [occurrenceId, guildOf(n)]));
      const startOf = (n: number) => midnight + minuteOf(n) * MINUTE - offset(minuteOf(n)) * HOUR;
      const expected = new Map(
        all.flatMap(({ occurrenceId }, n) => [
          [`occurrence.started ${occurrenceId}`, startOf(n)],
          [`occurrence.ended ${occurrenceId}`, startOf(n) + LENGTH_MS],
        ]),
      );
      const store = newMemoryPostStore(() => time.now);
      const owners = ownersOf(
        Map.groupBy(all, ({ occurrenceId }) => guildById.get(occurrenceId)!),
        () => time.now,
      );
      const received: ArrivedNotification[] = [];
      const world = { time, store, owners, sink: receivingWebhooks(time, received) };
      const first = startNotifying(world);
      await time.run(midnight + 45 * MINUTE, () => false);
      first.stop();
      await time.run(midnight + 50 * MINUTE, () => false);
      startNotifying(world);
      const isSent = ({ state }: { readonly state: string }) => state === "sent";
      const areAllSent = () =>
        received.length >= expected.size && store.posts.values().filter(isSent).toArray().length === expected.size;
      await time.run(midnight + 8 * HOUR, areAllSent);

      const nonces = Map.groupBy(received, ({ type, id }) => `${type} ${id}`);
      expect([...nonces.keys()].toSorted()).toEqual([...expected.keys()].toSorted());
      expect([...nonces.values()].filter((attempts) => new Set(attempts.map(({ nonce }) => nonce)).size > 1)).toEqual(
        [],
      );
      const early = received.filter(({ at, type, id }) => at < (expected.get(`${type} ${id}`) ?? Infinity));
      expect(early).toEqual([]);
      const dueAt = new Map(
        [...store.posts.values()].map((post) => [`${post.announcementId} ${post.occurrenceId}`, post.dueAt]),
      );
      expect(dueAt).toEqual(expected);
    },
    TIMEOUT_MS,
  );
});
