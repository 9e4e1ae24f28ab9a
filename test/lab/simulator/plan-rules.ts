import type { GuildId } from "../../../services/contracts/ids.ts";
import { selectCancelled } from "../../../services/dispatch/domain/plan/cancelled-before-planned.ts";
import { runWithoutPauses } from "../../../services/dispatch/domain/plan/time-slices.ts";
import { firstPositionAt } from "../../../services/dispatch/domain/plan/plan-order.ts";
import { planPosts } from "../../../services/dispatch/domain/plan/plan-posts.ts";
import type { Post } from "../../../services/dispatch/domain/post/post.ts";
import { databaseTime, type Evidence, thingAt, wellFrom } from "./evidence.ts";
import { GUILD, NOISY_GUILD } from "./simulated-edits.ts";
import type { History } from "./simulated-owners.ts";

/** How long a change may stay unread when every broadcast is lost; the feeds are read every two seconds. */
const SEEN_BY_FEED_MS = 5_000;
/** Where one call in seven takes up to 0.8 s each way: eight follow each other from a replica's start to its first plan. */
const SEEN_BY_SLOW_FEED_MS = 10_000;
const OFTEN_SLOW = 0.1;
/** Turns that may begin before another guild's: those in work, and as many that had been taken up in the meantime. */
const TURNS = 2;

/** What changed is planned soon, once all is well: also when every broadcast is lost. */
export function unseen(evidence: Evidence): string[] {
  const { now, record, owners, scenario } = evidence;
  if (scenario.loss > 0) return [];
  const announces = (guildId: GuildId, at: number) =>
    [...owners.announcements].some(
      ([id, history]) => owners.guildOf(id) === guildId && thingAt(history, at)?.enabled === true,
    );
  const histories = [...owners.announcements, ...owners.occurrences];
  const seenByMs = scenario.slowness > OFTEN_SLOW ? SEEN_BY_SLOW_FEED_MS : SEEN_BY_FEED_MS;
  return histories.flatMap(([id, history]) =>
    history.flatMap(({ visibleAt }) => {
      // Where nothing is announced nothing need be planned; what is announced later has its own change.
      if (owners.occurrences.has(id) && !announces(owners.guildOf(id) as GuildId, visibleAt)) return [];
      const from = wellFrom(evidence, visibleAt - seenByMs, seenByMs * 2);
      const until = Math.max(visibleAt, from + seenByMs) + seenByMs;
      const guildId = owners.guildOf(id);
      const isReading = (reading: { at: number; guildId: GuildId }) =>
        reading.guildId === guildId && reading.at >= visibleAt && reading.at <= until;
      const isSeen = until > now || record.readings.some(isReading);
      return isSeen ? [] : [`${id}: its change at ${visibleAt} was not planned by ${until}`];
    }),
  );
}

/** After a quiet time the posts are the desired ones: everything that was due has a row. */
export function unplanned(evidence: Evidence): string[] {
  return [GUILD, NOISY_GUILD].flatMap((guildId) => unplannedIn(evidence, guildId));
}

function unplannedIn(evidence: Evidence, guildId: GuildId): string[] {
  const { owners, posts, timing, start, scenario } = evidence;
  const now = databaseTime(evidence, evidence.now);
  const ofGuild = <Thing>(histories: Map<string, History<Thing>>): Thing[] =>
    [...histories].flatMap(([id, history]) => (owners.guildOf(id) === guildId ? (history.at(-1)?.thing ?? []) : []));
  const input = {
    guildId,
    announcements: ofGuild(owners.announcements),
    occurrences: ofGuild(owners.occurrences),
    windows: [{ from: 0, until: Infinity }],
    existing: [...posts.values()].filter((post) => post.guildId === guildId),
    sinks: scenario.sinks,
    start: firstPositionAt(start),
    through: now - 1_000,
    now,
    graceMs: timing.graceMs,
    maxOpenPosts: 1e6,
    version: 0,
  };
  const cancelled = runWithoutPauses(selectCancelled(input, owners.former(guildId), Infinity));
  const changes = planPosts({ ...input, cancelled });
  return [
    ...changes.inserts
      .filter(isOwed)
      .map(({ id, state }) => `${id}: should be ${state}, and nothing says what became of it`),
    ...changes.updates.map(({ id, to }) => `${id}: should be ${to.state} by now`),
  ];
}

/** An event that was moved far into its past was never due: that needs no row. */
function isOwed({ state, startsAt, dueAt }: Post): boolean {
  return state === "planned" || state === "cancelled" || startsAt > dueAt;
}

/** A guild with many posts at one instant delays only itself: others' turns come round. */
export function unfair({ receiver, posts, scenario, timing }: Evidence): string[] {
  if (scenario.noisy === 0) return [];
  const shown = receiver.visible.map(({ postId, at }) => ({ at, post: posts.get(postId) }));
  const noise = shown.filter(({ post }) => post?.guildId === NOISY_GUILD);
  // A turn sends all parts of a post.
  const most = TURNS * timing.maxPostsInWork * scenario.replicas * scenario.parts;
  return shown.flatMap(({ at, post }) => {
    if (post === undefined || post.guildId === NOISY_GUILD) return [];
    const before = noise.filter((other) => other.post?.sink === post.sink && other.at > post.dueAt && other.at < at);
    return before.length <= most
      ? []
      : [`${post.id}: ${before.length} posts of another guild had their turn before it`];
  });
}
