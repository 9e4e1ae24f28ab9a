import { EVERYTHING } from "../../fixtures/dispatch-samples.ts";
import type { PostOffset } from "../../../services/contracts/announcement-offsets.ts";
import type { GuildId } from "../../../services/contracts/ids.ts";
import { selectCancelled } from "../../../services/dispatch/domain/plan/cancelled-before-planned.ts";
import { runWithoutPauses } from "../../../services/dispatch/domain/plan/time-slices.ts";
import { firstPositionAt } from "../../../services/dispatch/domain/plan/plan-order.ts";
import { planPosts } from "../../../services/dispatch/domain/plan/plan-posts.ts";
import type { Post } from "../../../services/dispatch/domain/post/post.ts";
import { MAX_COOLDOWN_MS } from "../../../services/dispatch/protocol/planning/planner.ts";
import { offsetsIn } from "./due-rules.ts";
import { databaseTime, type Evidence, contentAt, faultFreeFrom } from "./evidence.ts";
import { GUILD, NOISY_GUILD } from "./simulated-edits.ts";
import { digestsOf } from "./simulated-digests.ts";
import { withHoliday } from "./simulated-holidays.ts";
import type { History } from "./simulated-owners.ts";

/**
 * Maximum time until a change is read if every broadcast is lost: the feeds are read every two seconds, and a guild whose last plan
 * was slow cools down.
 */
const SEEN_BY_FEED_MS = 5_000 + MAX_COOLDOWN_MS;
/** The same if one call in seven takes up to 0.8 s each way: eight calls follow each other from a replica's start to its first plan. */
const SEEN_BY_SLOW_FEED_MS = 10_000 + MAX_COOLDOWN_MS;
const OFTEN_SLOW = 0.1;
/** Posts that may be sent before another guild's: those in flight, and as many that were taken in the meantime. */
const TURNS = 2;

/** Checks that changes are planned soon after the last fault, also if every broadcast is lost. */
export function unreadChanges(evidence: Evidence): string[] {
  const { now, record, owners, scenario } = evidence;
  if (scenario.loss > 0) return [];
  const announces = (guildId: GuildId, at: number) =>
    [...owners.announcements].some(
      ([id, history]) => owners.guildOf(id) === guildId && contentAt(history, at)?.enabled === true,
    );
  const histories = [...owners.announcements, ...owners.occurrences, ...owners.holidays, ...owners.settings];
  const seenByMs = scenario.slowness > OFTEN_SLOW ? SEEN_BY_SLOW_FEED_MS : SEEN_BY_FEED_MS;
  return histories.flatMap(([id, history]) =>
    history.flatMap(({ visibleAt }, nth) => {
      // A guild without announcements needs no plan; an announcement that is created later is a change, too.
      if (!owners.announcements.has(id) && !announces(owners.guildOf(id) as GuildId, visibleAt)) return [];
      if (nth === 0 && isBeyondHorizon(evidence, id, visibleAt)) return [];
      const from = faultFreeFrom(evidence, visibleAt - seenByMs, seenByMs * 2);
      const until = Math.max(visibleAt, from + seenByMs) + seenByMs;
      const guildId = owners.guildOf(id);
      const isReading = (reading: { at: number; guildId: GuildId }) =>
        reading.guildId === guildId && reading.at >= visibleAt && reading.at <= until;
      const isSeen = until > now || record.readings.some(isReading);
      return isSeen ? [] : [`${id}: its change at ${visibleAt} was not planned by ${until}`];
    }),
  );
}

/** Whether the event starts so late that no announcement of its guild is due within the horizon, and that it can be no holiday of one. */
function isBeyondHorizon(evidence: Evidence, id: string, at: number): boolean {
  const { owners, timing } = evidence;
  const event = contentAt<{ startsAt: number }>(owners.holidays.get(id) ?? owners.occurrences.get(id) ?? [], at);
  if (event === null) return false;
  const skipsHolidays = [...owners.announcements.values()].some((history) => {
    const announcement = contentAt(history, at);
    return announcement?.enabled === true && announcement.skipOn !== undefined;
  });
  if (skipsHolidays) return false;
  const leads = [...owners.announcements].flatMap(([announcementId, history]) => {
    const announcement = owners.guildOf(announcementId) === owners.guildOf(id) ? contentAt(history, at) : null;
    return announcement?.enabled === true ? offsetsIn(announcement).map(leadOf) : [];
  });
  return event.startsAt - Math.max(...leads) >= databaseTime(evidence, at) + timing.horizonMs;
}

/** How long before the start of an event a post may be due. */
function leadOf({ anchor, minutes }: PostOffset): number {
  return anchor === "CREATED" || anchor === "CHANGED" ? Infinity : -minutes * 60_000;
}

/** Checks that after a time without faults the posts are the desired ones, and every due post has a row. */
export function unplanned(evidence: Evidence): string[] {
  return [GUILD, NOISY_GUILD].flatMap((guildId) => unplannedIn(evidence, guildId));
}

function unplannedIn(evidence: Evidence, guildId: GuildId): string[] {
  const { owners, posts, timing, start, scenario } = evidence;
  const now = databaseTime(evidence, evidence.now);
  const ofGuild = <Content>(histories: Map<string, History<Content>>): Content[] =>
    [...histories].flatMap(([id, history]) => (owners.guildOf(id) === guildId ? (history.at(-1)?.content ?? []) : []));
  const input = {
    guildId,
    announcements: ofGuild(owners.announcements),
    occurrences: [
      ...ofGuild(owners.occurrences).map((each) => withHoliday(each, owners.holidaysAt(Infinity))),
      ...digestsOf([...ofGuild(owners.announcements), ...owners.former(guildId).rules], owners.zones()),
    ],
    windows: EVERYTHING,
    existing: [...posts.values()].filter((post) => post.guildId === guildId),
    sinks: scenario.sinks,
    start: firstPositionAt(start),
    through: now - 1_000,
    now,
    graceMs: timing.graceMs,
    maxOpenPosts: 1e6,
    version: 0,
    guildPause: owners.settings.get(guildId)?.at(-1)?.content ?? {},
  };
  const cancelled = runWithoutPauses(selectCancelled(input, owners.former(guildId), Infinity));
  const changes = planPosts({ ...input, cancelled });
  return [
    ...changes.inserts.filter(isOwed).map(({ id, state }) => `${id}: should be ${state}, and it has no outcome`),
    ...changes.updates.map(({ id, to }) => `${id}: should be ${to.state} by now`),
  ];
}

/** An event that was moved far into the past was never due, and needs no row. */
function isOwed({ state, startsAt, dueAt }: Post): boolean {
  return state === "planned" || state === "cancelled" || startsAt > dueAt;
}

/** Checks that a guild with many posts at one instant does not delay other guilds. */
export function unfair({ receiver, posts, scenario, timing }: Evidence): string[] {
  if (scenario.noisy === 0) return [];
  const shown = receiver.visible.map(({ postId, at }) => ({ at, post: posts.get(postId) }));
  const noise = shown.filter(({ post }) => post?.guildId === NOISY_GUILD);
  // All parts of a post are sent together.
  const maxBefore = TURNS * timing.maxPostsInWork * scenario.replicas * scenario.parts;
  return shown.flatMap(({ at, post }) => {
    if (post === undefined || post.guildId === NOISY_GUILD) return [];
    const before = noise.filter((other) => other.post?.sink === post.sink && other.at > post.dueAt && other.at < at);
    return before.length <= maxBefore
      ? []
      : [`${post.id}: ${before.length} posts of another guild were sent before it`];
  });
}
