import type { Post } from "../../../services/dispatch/domain/post/post.ts";
import { changesOf, databaseTime, type Evidence, stateAt } from "./evidence.ts";
import { intervalOf } from "./due-rules.ts";
import { digestsOf } from "./simulated-digests.ts";

/** Maximum age of the events that a digest lists, and the time in which a change of them is seen. */
const SEEN_WITHIN_MS = 1_000;
const EMPTY = "no event in the days of the digest";

/** Checks that a digest is posted only if it lists an event, and is skipped as empty only if it lists none (D65). */
export function badDigests(evidence: Evidence): string[] {
  const { posts, record, receiver } = evidence;
  return [...posts.values()].flatMap((post) => {
    if (!isDigest(post)) return [];
    const shown = receiver.visible.find(({ postId }) => postId === post.id);
    const claims = record.writes.filter(({ after }) => after.id === post.id && after.state === "sending");
    const wasListing = claims.some(({ at }) => wasEver(evidence, post, at, (count) => count > 0));
    if (shown !== undefined && !wasListing) {
      return [`${post.id}: posted, and it lists no event`];
    }
    const skip = record.writes.find(({ after }) => after.id === post.id && after.reason === EMPTY);
    const isWrong = skip !== undefined && !wasEver(evidence, post, skip.at, (count) => count === 0);
    return isWrong ? [`${post.id}: skipped as empty, and it lists events`] : [];
  });
}

/** Checks that every digest that was due has a row with an outcome. */
export function unaccountedDigests(evidence: Evidence): string[] {
  const { owners, posts, start, scenario, timing } = evidence;
  const now = databaseTime(evidence, evidence.now) - 1_000;
  const rows = [...posts.values()];
  const rules = [...owners.announcements.values()].flatMap((history) => history.at(-1)?.content ?? []);
  return digestsOf(rules, owners.zones()).flatMap((digest) => {
    const announcement = rules.find(({ id }) => id === digest.digest?.announcementId);
    if (announcement === undefined) return [];
    const { occurrenceId, startsAt } = digest;
    const key = { announcementId: announcement.id, occurrenceId, startsAt, channel: announcement.channel } as Post;
    const interval = intervalOf(key, { announcement, occurrence: digest, settings: {} as never }, timing.graceMs);
    if (interval === undefined || interval.dueAt < start || interval.dueAt >= now) return [];
    const hasRow = (sink: string) =>
      rows.some((row) => row.occurrenceId === occurrenceId && row.startsAt === startsAt && row.sink === sink);
    return scenario.sinks.filter((sink) => !hasRow(sink)).map((sink) => `${occurrenceId} in ${sink}: it has no row`);
  });
}

/** Whether the number of events that the digest lists was wanted at some instant shortly before `at`. */
function wasEver({ owners }: Evidence, post: Post, at: number, isWanted: (count: number) => boolean): boolean {
  const from = at - 2 * SEEN_WITHIN_MS;
  const eventChanges = [...owners.occurrences.values()].flat().map(({ visibleAt }) => visibleAt);
  const instants = [
    from,
    at,
    ...[...changesOf(owners, post), ...eventChanges].filter((each) => each > from && each <= at),
  ];
  return instants.some((each) => isWanted(stateAt(owners, post, each).occurrence?.digest?.entries?.length ?? -1));
}

function isDigest({ occurrenceId }: Pick<Post, "occurrenceId">): boolean {
  return occurrenceId.startsWith("d");
}
