import { describe, expect, test } from "@jest/globals";
import { sampleAnnouncement } from "../fixtures/dispatch-samples.ts";
import { newMemoryPostStore } from "../lab/simulator/memory-post-store.ts";
import { newVirtualTime, type VirtualTime } from "../lab/simulator/virtual-time.ts";
import type { Calendar } from "../../services/calendar-events/domain/calendar/calendar.ts";
import { digestOn, digestsStarting } from "../../services/calendar-events/domain/digest/digest-occurrence.ts";
import type { DigestEntry } from "../../services/contracts/announcement-digests.ts";
import type { Announcement } from "../../services/contracts/announcements.contract.ts";
import type { MessageBody } from "../../services/contracts/dispatch.contract.ts";
import type { AnnouncementId, GuildId } from "../../services/contracts/ids.ts";
import { renderCancelled } from "../../services/dispatch/domain/message/edited-message.ts";
import { renderAnnouncement } from "../../services/dispatch/domain/message/announcement-message.ts";
import { newDispatcher } from "../../services/dispatch/protocol/dispatcher.ts";
import type { Owners, Ports } from "../../services/dispatch/protocol/ports.ts";
import { STANDARD_TIMING } from "../../services/dispatch/protocol/timing.ts";
import { matchMessage } from "../../services/dispatch/sinks/discord/match-message.ts";
import { encodeMessage } from "../../services/dispatch/sinks/message-body.ts";
import type { Sink } from "../../services/dispatch/sinks/sink.ts";

const GUILD = "1" as GuildId;
const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
/** In this night Berlin has no 02:30. */
const MIDNIGHT = Date.UTC(2027, 2, 28);
const START = MIDNIGHT + 85 * MINUTE;
const NEW_ZONE_AT = MIDNIGHT + 105 * MINUTE;
/** The owners do not tell what a digest lists. */
const SILENCE = { from: MIDNIGHT + 174 * MINUTE, until: MIDNIGHT + 195 * MINUTE };

/** Digests by their wall-clock times. In Lagos, an hour ahead of UTC, there is no summer time. */
const DIGESTS = {
  gap: "02:30",
  empty: "03:35",
  lost: "03:40",
  moved: "03:50",
  silent: "03:55",
} as const;

function digestAt(id: string, time: string): Announcement {
  const digest = { calendarNumber: 1, frequency: "DAILY", time, days: 1 } as const;
  return sampleAnnouncement({
    id: id as AnnouncementId,
    guildId: GUILD,
    type: "DIGEST",
    digest,
    standsSince: MIDNIGHT,
  });
}

/** The owners of a guild whose calendar moves from Berlin to Lagos during the night. */
function ownersOf(time: VirtualTime, announcements: readonly Announcement[]): Owners {
  const zoneChanges = [
    { version: 1, timezone: "Europe/Berlin", since: 0 },
    { version: 2, timezone: "Africa/Lagos", since: NEW_ZONE_AT },
  ];
  const calendar = (): Calendar => ({
    guildId: GUILD,
    calendarNumber: 1,
    revision: 1,
    zoneChanges: zoneChanges.filter(({ since }) => since <= time.now),
  });
  const changes = [
    { feed: "announcements", changedAt: MIDNIGHT - HOUR },
    { feed: "calendar-events", changedAt: NEW_ZONE_AT },
  ];
  const entriesNow = (): DigestEntry[] => [{ name: `Raid at ${time.now}`, startsAt: time.now, endsAt: time.now }];
  return {
    announcementRules: async () => announcements,
    announcingGuilds: async (guildIds) => guildIds,
    announcement: async (_, id) => announcements.find((each) => each.id === id) ?? null,
    async occurrences({ digests, limit }) {
      const { rules = [], window = { from: 0, until: 0 } } = digests ?? {};
      const found = rules.flatMap((rule) => Array.from(digestsStarting(rule, window, calendar(), true)));
      return {
        occurrences: found.toSorted((one, other) => one.startsAt - other.startsAt).slice(0, limit),
        truncated: false,
      };
    },
    occurrence: async () => null,
    async digest({ announcementId, digest, date }) {
      if (time.now >= SILENCE.from && time.now < SILENCE.until) throw new Error("no response");
      const found = digestOn({ announcementId, digest }, date, calendar(), true);
      if (found?.digest === undefined) return null;
      const entries = (announcementId as string) === "empty" ? [] : entriesNow();
      return { ...found, digest: { ...found.digest, entries } };
    },
    settings: async (guildId) => ({ guildId, lang: "ENGLISH" }) as never,
    async changesSince(feed, { mark }) {
      const next = changes.find((each) => each.feed === feed && each.changedAt > mark.at && each.changedAt <= time.now);
      if (next === undefined) return { changes: [], mark, more: false };
      const { changedAt } = next;
      const change = { id: feed, guildId: GUILD, revision: 1, changedAt, deleted: false };
      return { changes: [change], mark: { at: changedAt, id: "" }, readAt: time.now, more: false };
    },
    isReachable: () => true,
  };
}

interface Received {
  readonly at: number;
  readonly nonce: string;
  readonly body: MessageBody;
}

/** A receiver that forgets nonces soon. Of one digest the response is lost, until the message can only be looked up. */
function receiving(time: VirtualTime, received: Received[]): Sink {
  return {
    name: "log",
    nonceWindowMs: SECOND,
    async send({ nonce, postId, message }) {
      received.push({ at: time.now, nonce, body: encodeMessage(message) });
      return postId.startsWith("lost")
        ? { kind: "retry", reason: "lost", afterMs: 90 * SECOND }
        : { kind: "sent", messageId: nonce };
    },
    async find({ message }) {
      const found = received.find(({ body }) => matchMessage(body, encodeMessage(message)) === "same");
      return found === undefined ? { kind: "absent" } : { kind: "found", messageId: found.nonce };
    },
    close: async () => undefined,
  };
}

function startReplica(time: VirtualTime, received: Received[]) {
  const store = newMemoryPostStore(() => time.now);
  const announcements = Object.entries(DIGESTS).map(([id, at]) => digestAt(id, at));
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
    owners: ownersOf(time, announcements),
    replicas: { self: "r1", all: () => ["r1"] },
    sinks: [receiving(time, received)],
    render: renderAnnouncement,
    renderCancelled,
    reports: { planned: () => {}, settled: () => {}, waited: () => {}, operationFailed: () => {} },
  };
  newDispatcher(ports, { ...STANDARD_TIMING, graceMs: 15 * MINUTE, horizonMs: 12 * HOUR, pollEveryMs: 5_000 }).start();
  return store;
}

describe("digests in a night with a clock change and a new time zone (D65)", () => {
  test("are posted once at their instants with the events of the moment, skipped if empty, and missed while their owner is silent", async () => {
    const time = newVirtualTime(1, START);
    const received: Received[] = [];
    const store = startReplica(time, received);
    await time.run(MIDNIGHT + 200 * MINUTE, () => false);

    const settled = [...store.posts.values()].filter(({ settledAt }) => settledAt !== undefined);
    const outcomes = settled.map(({ announcementId, state, dueAt, reason }) => ({
      id: announcementId as string,
      state,
      minute: (dueAt - MIDNIGHT) / MINUTE,
      reason,
    }));
    const outcomeOf = (id: string) =>
      outcomes.filter((each) => each.id === id).map(({ state, minute }) => `${state} ${minute}`);
    expect(outcomeOf("gap")).toEqual(["sent 90"]);
    expect(outcomeOf("empty")).toEqual(["skipped 95"]);
    expect(outcomeOf("lost")).toEqual(["sent 100"]);
    // Their posts by the clock of Berlin are cancelled by the new zone.
    expect(outcomeOf("moved").toSorted()).toEqual(["cancelled 110", "sent 170"]);
    expect(outcomeOf("silent").toSorted()).toEqual(["cancelled 115", "missed 175"]);
    expect(outcomes.find(({ id, state }) => id === "empty" && state === "skipped")?.reason).toBe(
      "no event in the days of the digest",
    );

    expect(received.map(({ at }) => Math.floor((at - MIDNIGHT) / MINUTE))).toEqual([90, 100, 170]);
    for (const { at, body } of received) {
      const listed = Number(body.embeds?.[0]?.fields?.[0]?.name.replace("Raid at ", ""));
      expect(at - listed).toBeGreaterThanOrEqual(0);
      expect(at - listed).toBeLessThan(SECOND);
    }
  }, 120_000);
});
