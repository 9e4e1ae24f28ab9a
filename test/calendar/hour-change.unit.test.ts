import { describe, expect, test } from "@jest/globals";
import { sampleCalendar, sampleId } from "../fixtures/feed-samples.ts";
import { newMemoryPostStore } from "../lab/simulator/memory-post-store.ts";
import { newVirtualTime, type VirtualTime } from "../lab/simulator/virtual-time.ts";
import { newEvent } from "../../services/calendar-events/domain/event/create-event.ts";
import {
  announcedOccurrence,
  effectiveOccurrence,
} from "../../services/calendar-events/domain/event/effective-occurrence.ts";
import { seriesOf } from "../../services/calendar-events/domain/event/event.ts";
import { occurrencesStarting } from "../../services/calendar-events/domain/recurrence/occurrences.ts";
import { anchorInstant } from "../../services/contracts/announcement-offsets.ts";
import { isRefusal } from "../../services/contracts/errors.ts";
import type { GuildId } from "../../services/contracts/ids.ts";
import type { Occurrence } from "../../services/contracts/occurrences.contract.ts";
import {
  notificationContent,
  notificationRule,
  notificationRules,
  renderNotification,
} from "../../services/dispatch/domain/notification/notification-rule.ts";
import { NOTIFICATION_SINK } from "../../services/dispatch/domain/post/sink-name.ts";
import { type Dispatcher, newDispatcher } from "../../services/dispatch/protocol/dispatcher.ts";
import type { Owners, Ports } from "../../services/dispatch/protocol/ports.ts";
import type { PostStore } from "../../services/dispatch/protocol/post-store.ts";
import { STANDARD_TIMING } from "../../services/dispatch/protocol/timing.ts";
import type { Sink } from "../../services/dispatch/sinks/sink.ts";

/** Occurrences of the night; `OCCURRENCES=10000` for a long run (test/lab/README.md). */
const OCCURRENCES = Number(process.env["OCCURRENCES"] ?? 600);
/** Ten thousand take a minute of processor time; a busy machine may take ten times as long. */
const TIMEOUT_MS = Math.max(120_000, OCCURRENCES * 60);
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

/** The owners of events and webhooks: every guild has a webhook from the beginning on. */
function ownersOf(occurrences: readonly Occurrence[], now: () => number): Owners {
  const since = { "occurrence.started": 0, "occurrence.ended": 0 };
  const byId = new Map(occurrences.map((each) => [each.occurrenceId, each]));
  const numberOf = new Map(occurrences.map((each, n) => [each.occurrenceId, n]));
  const changedAt = now();
  const guilds = Array.from({ length: GUILDS }, (_, n) => guildOf(n));
  return {
    announcementRules: async (guildId) => notificationRules({ guildId, since }),
    announcingGuilds: async (guildIds) => guildIds,
    announcement: async (guildId, id) => notificationRule(guildId, id as never, 0),
    async occurrences({ guildId, windows, anchor = "START", limit }) {
      const instant = (each: Occurrence) => anchorInstant(each, anchor) ?? Infinity;
      const found = occurrences
        .filter((each) => guildOf(numberOf.get(each.occurrenceId) ?? 0) === guildId)
        .filter((each) => windows.some(({ from, until }) => instant(each) >= from && instant(each) < until))
        .toSorted((one, other) => instant(one) - instant(other));
      return { occurrences: found.slice(0, limit), truncated: found.length > limit };
    },
    occurrence: async (_, id) => byId.get(id) ?? null,
    settings: async (guildId) => ({ guildId }) as never,
    async changesSince(feed, { mark }) {
      if (feed !== "announcements" || mark.at >= changedAt) return { changes: [], mark, more: false };
      const changes = guilds.map((guildId) => ({ id: guildId, guildId, revision: 1, changedAt, deleted: false }));
      return { changes, mark: { at: changedAt, id: "" }, readAt: now(), more: false };
    },
    isReachable: () => true,
  };
}

interface Received {
  readonly nonce: string;
  readonly at: number;
  readonly type: string;
  readonly id: string;
}

/** The service of webhooks. One response in ten is lost. */
function receiving(time: VirtualTime, received: Received[]): Sink {
  return {
    name: NOTIFICATION_SINK,
    nonceWindowMs: Infinity,
    async send({ nonce, message }) {
      const { type, occurrence } = notificationContent(message);
      received.push({ nonce, at: time.now, type, id: occurrence.occurrenceId });
      const isLost = time.chance.fraction() < 0.1;
      return isLost ? { kind: "retry", reason: "lost", afterMs: 0 } : { kind: "sent", messageId: nonce };
    },
    close: async () => undefined,
  };
}

function startReplica(time: VirtualTime, store: PostStore, owners: Owners, sink: Sink): Dispatcher {
  let ids = 0;
  const ports: Ports = {
    clock: { now: () => time.now },
    timers: {
      after(ms, wake) {
        let isCancelled = false;
        time.after(ms, () => void (isCancelled || wake()));
        return () => void (isCancelled = true);
      },
    },
    random: { fraction: () => time.chance.fraction(), id: () => String((ids += 1)) },
    store,
    owners,
    replicas: { self: "r1", all: () => ["r1"], tellPlanned: () => undefined },
    sinks: [sink],
    render: renderNotification,
    reports: { planned: () => {}, settled: () => {}, waited: () => {}, operationFailed: () => {} },
  };
  const timing = { ...STANDARD_TIMING, graceMs: HOUR, horizonMs: 6 * HOUR, pollEveryMs: 30_000, pollAheadMs: 90_000 };
  const replica = newDispatcher(ports, timing);
  replica.start();
  return replica;
}

describe.each(Object.entries(NIGHTS))("in a night in which %s (D59)", (_, { midnight, offset }) => {
  test(
    "every start and end is told at its instant, once and not early, across a restart of dispatch and lost responses",
    async () => {
      const before = midnight - 4 * HOUR;
      const time = newVirtualTime(1, before);
      const all = Array.from({ length: OCCURRENCES }, (__, n) => occurrenceAt(n, midnight, offset));
      const startOf = (n: number) => midnight + minuteOf(n) * MINUTE - offset(minuteOf(n)) * HOUR;
      const expected = new Map(
        all.flatMap(({ occurrenceId }, n) => [
          [`occurrence.started ${occurrenceId}`, startOf(n)],
          [`occurrence.ended ${occurrenceId}`, startOf(n) + LENGTH_MS],
        ]),
      );
      const store = newMemoryPostStore(() => time.now);
      const owners = ownersOf(all, () => time.now);
      const received: Received[] = [];
      const first = startReplica(time, store, owners, receiving(time, received));
      await time.run(midnight + 45 * MINUTE, () => false);
      void first.stop(0);
      await time.run(midnight + 50 * MINUTE, () => false);
      startReplica(time, store, owners, receiving(time, received));
      const areAllSent = () =>
        [...store.posts.values()].filter(({ state }) => state === "sent").length === expected.size;
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
