import { renderCancelled } from "../../../services/dispatch/domain/message/edited-message.ts";
import { anchorInstant } from "../../../services/contracts/announcement-offsets.ts";
import type { GuildId } from "../../../services/contracts/ids.ts";
import type { Occurrence } from "../../../services/contracts/occurrences.contract.ts";
import {
  notificationContent,
  notificationRule,
  notificationRules,
  renderNotification,
} from "../../../services/dispatch/domain/notification/notification-rule.ts";
import { NOTIFICATION_SINK } from "../../../services/dispatch/domain/post/sink-name.ts";
import { newDispatcher } from "../../../services/dispatch/protocol/dispatcher.ts";
import type { Owners, Ports } from "../../../services/dispatch/protocol/ports.ts";
import type { PostStore } from "../../../services/dispatch/protocol/post-store.ts";
import { STANDARD_TIMING } from "../../../services/dispatch/protocol/timing.ts";
import type { SendOutcome, Sink } from "../../../services/dispatch/sinks/sink.ts";
import type { VirtualTime } from "./virtual-time.ts";

const HOUR = 3_600_000;

/** The owners of events and webhooks: every guild has a webhook for starts and ends from the beginning on. */
export function ownersOf(byGuild: ReadonlyMap<GuildId, readonly Occurrence[]>, now: () => number): Owners {
  const since = { "occurrence.started": 0, "occurrence.ended": 0 };
  const byId = new Map([...byGuild.values()].flat().map((each) => [each.occurrenceId, each]));
  const changedAt = now();
  return {
    digest: async () => null,
    announcementRules: async (guildId) => notificationRules({ guildId, since }),
    announcingGuilds: async (guildIds) => guildIds,
    announcement: async (guildId, id) => notificationRule(guildId, id as never, 0),
    async occurrences({ guildId, windows, anchor = "START", limit }) {
      const instant = (each: Occurrence) => anchorInstant(each, anchor) ?? Infinity;
      const found = (byGuild.get(guildId) ?? [])
        .filter((each) => windows.some(({ from, until }) => instant(each) >= from && instant(each) < until))
        .toSorted((one, other) => instant(one) - instant(other));
      return { occurrences: found.slice(0, limit), truncated: found.length > limit };
    },
    occurrence: async (_, id) => byId.get(id) ?? null,
    settings: async (guildId) => ({ guildId }) as never,
    async changesSince(feed, { mark }) {
      if (feed !== "announcements" || mark.at >= changedAt) return { changes: [], mark, more: false };
      const changes = [...byGuild.keys()].map((guildId) => {
        return { id: guildId, guildId, revision: 1, changedAt, deleted: false };
      });
      return { changes, mark: { at: changedAt, id: "" }, readAt: now(), more: false };
    },
    isReachable: () => true,
  };
}

/** A notification that arrived at the service of webhooks. */
export interface ArrivedNotification {
  readonly nonce: string;
  readonly at: number;
  readonly type: string;
  readonly id: string;
}

/** The service of webhooks, `latencyMs` away; some of its responses are lost. */
export function receivingWebhooks(
  time: VirtualTime,
  arrived: ArrivedNotification[],
  { latencyMs = 0, lostResponses = 0.1 } = {},
): Sink {
  const passed = () => (latencyMs === 0 ? undefined : new Promise<void>((wake) => time.after(latencyMs, wake)));
  return {
    name: NOTIFICATION_SINK,
    nonceWindowMs: Infinity,
    async send({ nonce, message }): Promise<SendOutcome> {
      const { type, occurrence } = notificationContent(message);
      arrived.push({ nonce, at: time.now, type, id: occurrence.occurrenceId });
      await passed();
      const isLost = time.chance.fraction() < lostResponses;
      return isLost ? { kind: "retry", reason: "lost", afterMs: 0 } : { kind: "sent", messageId: nonce };
    },
    close: async () => undefined,
  };
}

/** A replica of dispatch that notifies webhooks, in virtual time. */
export interface NotifyingReplica {
  stop(): void;
  /** Ends the replica as SIGKILL does: calls that it has sent are performed, and no response reaches it. */
  kill(): void;
}

export interface ReplicaWorld {
  readonly time: VirtualTime;
  readonly store: PostStore;
  readonly owners: Owners;
  readonly sink: Sink;
}

/** @param names - The replicas that this one considers alive. */
export function startNotifying(
  { time, store, owners, sink }: ReplicaWorld,
  self = "r1",
  names: () => readonly string[] = () => [self],
): NotifyingReplica {
  let ids = 0;
  let isKilled = false;
  const never = new Promise<never>(() => undefined);
  const unlessKilled = <Call extends object>(port: Call): Call =>
    Object.fromEntries(
      Object.entries(port).map(([name, member]: [string, unknown]) => {
        if (typeof member !== "function") return [name, member];
        const call = (...params: unknown[]) => {
          const result: unknown = isKilled ? never : member.apply(port, params);
          return result instanceof Promise ? result.then((value: unknown) => (isKilled ? never : value)) : result;
        };
        return [name, call];
      }),
    ) as Call;
  const ports: Ports = {
    clock: { now: () => time.now },
    timers: {
      after(ms, wake) {
        let isCancelled = false;
        time.after(ms, () => void (isCancelled || isKilled || wake()));
        return () => void (isCancelled = true);
      },
    },
    random: { fraction: () => time.chance.fraction(), id: () => `${self}-${(ids += 1)}` },
    store: unlessKilled(store),
    owners: unlessKilled(owners),
    replicas: { self, all: names },
    sinks: [unlessKilled(sink)],
    render: renderNotification,
    renderCancelled,
    reports: { planned: () => {}, settled: () => {}, waited: () => {}, operationFailed: () => {} },
  };
  const timing = { ...STANDARD_TIMING, graceMs: HOUR, horizonMs: 6 * HOUR, pollEveryMs: 30_000, pollAheadMs: 90_000 };
  const replica = newDispatcher(ports, timing);
  replica.start();
  return { stop: () => void replica.stop(0), kill: () => void (isKilled = true) };
}
