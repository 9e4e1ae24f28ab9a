import { type PostTruth, stands } from "../../services/dispatch/domain/judge-post.ts";
import { planPosts } from "../../services/dispatch/domain/plan-posts.ts";
import { isAnnounced, isOpen, type Post, TRANSITIONS } from "../../services/dispatch/domain/post.ts";
import type { Timing } from "../../services/dispatch/protocol/timing.ts";
import type { Scenario, Stretch } from "./scenario.ts";
import { GUILD } from "./simulated-edits.ts";
import type { History, SimulatedOwners } from "./simulated-owners.ts";
import type { SimulatedReceiver, VisibleMessage } from "./simulated-receiver.ts";

/** What happened in a run, as far as it can be seen from outside. */
export interface Record {
  readonly writes: { readonly at: number; readonly before: Post | undefined; readonly after: Post }[];
  /** When something was broken, from the start of the run. */
  readonly faults: Stretch[];
  readonly violations: string[];
  /** When a planning began to read the truth. */
  readonly readings: number[];
}

export interface Evidence {
  readonly start: number;
  readonly now: number;
  readonly record: Record;
  readonly owners: SimulatedOwners;
  readonly receiver: SimulatedReceiver;
  readonly posts: ReadonlyMap<string, Post>;
  readonly scenario: Scenario;
  readonly timing: Timing;
}

/** With so long a stretch without faults before its deadline a post must be sent. */
const HEALTHY_MS = 60_000;
/** How long an acknowledged change may take to reach a claim. */
const SEEN_WITHIN_MS = 1_000;
/** How long a change may stay unread when every broadcast is lost; the feeds are read every two seconds. */
const SEEN_BY_FEED_MS = 5_000;
/** A send that began in time by a clock that lags by this much. */
const CLOCK_LAG_MS = 50;

/** Everything that broke the promise, a sentence each. */
export function judge(evidence: Evidence): string[] {
  return [
    ...evidence.record.violations,
    ...badWrites(evidence),
    ...doubles(evidence),
    ...evidence.receiver.visible.flatMap((message) => badMessage(evidence, message)),
    ...[...evidence.posts.values()].flatMap((post) => badOutcome(evidence, post)),
    ...unplanned(evidence),
    ...unseen(evidence),
  ];
}

/** The fence rises with each claim, what is settled stays, and only the table's steps are taken. */
function badWrites({ record }: Evidence): string[] {
  const latest = new Map<string, Post>();
  return record.writes.flatMap(({ at, before, after }) => {
    const last = latest.get(after.id);
    latest.set(after.id, after);
    if (before === undefined) return [];
    const says: string[] = [];
    if (!TRANSITIONS[before.state].includes(after.state))
      says.push(`${after.id}: ${before.state} became ${after.state}`);
    if (after.fence < before.fence) says.push(`${after.id}: the fence fell`);
    const claimed = after.attemptId !== undefined && after.attemptId !== before.attemptId;
    if (claimed && after.fence !== before.fence + 1) says.push(`${after.id}: a claim did not raise the fence`);
    const isHeld = last?.state === "sending" && last.owner !== undefined && last.wakeAt > at;
    if (claimed && isHeld) says.push(`${after.id}: claimed while another held it`);
    return says;
  });
}

/** What changed is planned soon, once all is well: also when every broadcast is lost. */
function unseen({ start, now, record, owners, scenario }: Evidence): string[] {
  if (scenario.loss > 0) return [];
  const histories = [...owners.announcements, ...owners.occurrences];
  return histories.flatMap(([id, history]) =>
    history.flatMap(({ visibleAt }) => {
      const from = wellFrom(record.faults, visibleAt - start - SEEN_BY_FEED_MS, SEEN_BY_FEED_MS * 2) + start;
      const until = Math.max(visibleAt, from + SEEN_BY_FEED_MS) + SEEN_BY_FEED_MS;
      const isSeen = until > now || record.readings.some((at) => at >= visibleAt && at <= until);
      return isSeen ? [] : [`${id}: its change at ${visibleAt} was not planned by ${until}`];
    }),
  );
}

/** The first instant from which on nothing is broken for so long. */
function wellFrom(faults: readonly Stretch[], from: number, needed: number): number {
  const edges = [from, ...faults.map(({ until }) => until).filter((until) => until > from)];
  const isWell = (edge: number) => !faults.some((fault) => fault.from < edge + needed && fault.until > edge);
  return Math.min(...edges.filter(isWell));
}

/** At most one visible message for each part of an announcement of an occurrence at one start. */
function doubles({ receiver }: Evidence): string[] {
  const seen = new Set<string>();
  return receiver.visible.flatMap(({ postId, part }) => {
    const key = `${postId.replace(/:\d+$/, "")} part ${part}`;
    if (seen.has(key)) return [`${key}: posted twice`];
    seen.add(key);
    return [];
  });
}

/** A visible message was asked for by the truth shortly before its claim, was due, and not over its deadline. */
function badMessage(evidence: Evidence, message: VisibleMessage): string[] {
  const { record, posts, start } = evidence;
  const row = posts.get(message.postId);
  const isClaim = ({ at, before, after }: Record["writes"][number]) =>
    after.id === message.postId && at <= message.sentAt && after.fence > (before?.fence ?? 0);
  const claim = record.writes.findLast(isClaim);
  if (row === undefined || claim === undefined) return [`${message.postId}: posted without a claim`];
  const says: string[] = [];
  if (message.at < claim.after.dueAt) says.push(`${row.id}: posted ${claim.after.dueAt - message.at} ms early`);
  if (message.sentAt > claim.after.deadline + CLOCK_LAG_MS) says.push(`${row.id}: sent after its deadline`);
  if (!isAnnounced(row) && row.state !== "failed") says.push(`${row.id}: posted, and said to be ${row.state}`);
  const { busDown, ownersDown } = evidence.scenario;
  const blind = [...busDown, ...ownersDown].some(
    ({ from, until }) => start + from <= claim.at && start + until >= claim.at - 2_000,
  );
  if (!blind && !stoodAround(evidence, claim.after, claim.at - SEEN_WITHIN_MS, message.at)) {
    says.push(`${row.id}: posted against a change that had been acknowledged ${SEEN_WITHIN_MS} ms before its claim`);
  }
  return says;
}

/** Whether there was an instant in the stretch at which the truth asked for the post. */
function stoodAround({ owners, timing }: Evidence, post: Post, from: number, until: number): boolean {
  const announcements = owners.announcements.get(post.announcementId) ?? [];
  const occurrences = owners.occurrences.get(post.occurrenceId) ?? [];
  const changes = [...announcements, ...occurrences].map(({ visibleAt }) => visibleAt);
  const instants = [from, ...changes.filter((at) => at > from && at <= until)];
  return instants.some((at) => stands(post, truthOf(owners, post, at), timing.graceMs));
}

function truthOf({ announcements, occurrences }: SimulatedOwners, post: Post, at: number): PostTruth {
  return {
    announcement: thingAt(announcements.get(post.announcementId) ?? [], at),
    occurrence: thingAt(occurrences.get(post.occurrenceId) ?? [], at),
    settings: {} as never,
  };
}

function thingAt<Thing>(history: History<Thing>, at: number): Thing | null {
  return history.findLast(({ visibleAt }) => visibleAt <= at)?.thing ?? null;
}

/** Every post ends, with a reason when it was not sent; and is sent when there was a healthy while to do it. */
function badOutcome(evidence: Evidence, post: Post): string[] {
  const { now, receiver, scenario } = evidence;
  if (isOpen(post)) return post.dueAt < now - 1_000 ? [`${post.id}: still ${post.state} at the end`] : [];
  const delivered = receiver.visible.some(({ postId }) => postId === post.id);
  if (post.state === "sent") {
    const all = receiver.visible.filter(({ nonce, id }) => post.delivered.includes(id) && nonce !== "");
    return all.length === post.parts ? [] : [`${post.id}: said to be sent, and was not`];
  }
  if (post.reason === undefined) return [`${post.id}: ${post.state} without a reason`];
  // A receiver that can't be asked leaves a doubt that outlasts its nonces for ever.
  const lost = post.state === "missed" || (post.state === "unknown" && !delivered && scenario.canLookUp);
  const tried = scenario.limited + scenario.broken > 0;
  return lost && !tried && wasHealthy(evidence, post)
    ? [`${post.id}: ${post.state} (${post.reason}), though all was well`]
    : [];
}

/** Whether there was a long enough stretch without any fault while it was due and known. */
function wasHealthy({ record, start, owners, timing }: Evidence, post: Post): boolean {
  const versions = [
    ...(owners.announcements.get(post.announcementId) ?? []),
    ...(owners.occurrences.get(post.occurrenceId) ?? []),
  ].map(({ visibleAt }) => visibleAt);
  const whileOpen = versions.filter((at) => at <= (post.settledAt ?? 0));
  const truthAt = (at: number) => truthOf(owners, post, at);
  if (!whileOpen.every((at) => at < post.dueAt || stands(post, truthAt(at), timing.graceMs))) return false;
  const plannedAt = record.writes.find(({ after }) => after.id === post.id)?.at ?? start;
  const from = Math.max(post.dueAt, plannedAt, ...whileOpen) - start;
  const until = post.deadline - start;
  const faults = record.faults.filter((fault) => fault.until > from && fault.from < until);
  const edges = [from, ...faults.map((fault) => fault.until)].filter((edge) => edge >= from);
  return edges.some(
    (edge) =>
      edge + HEALTHY_MS <= until && !faults.some((fault) => fault.from < edge + HEALTHY_MS && fault.until > edge),
  );
}

function current<Thing>(histories: Map<string, History<Thing>>): Thing[] {
  return [...histories.values()].flatMap((history) => history.at(-1)?.thing ?? []);
}

/** An event that was moved far into its past was never due: that needs no row. */
function isOwed({ state, startsAt, dueAt }: Post): boolean {
  return state === "planned" || startsAt > dueAt;
}

/** After quiet, the posts are those that the truth asks for: everything that was due has a row. */
function unplanned({ owners, posts, timing, start, now }: Evidence): string[] {
  const changes = planPosts({
    guildId: GUILD,
    announcements: current(owners.announcements),
    occurrences: current(owners.occurrences),
    windows: [{ from: 0, until: Infinity }],
    existing: [...posts.values()],
    sinks: ["log"],
    from: start,
    through: now - 1_000,
    now,
    graceMs: timing.graceMs,
    mostPosts: Infinity,
  });
  if (changes === "too many") return ["too many"];
  return [
    ...changes.inserts
      .filter(isOwed)
      .map(({ id, state }) => `${id}: should be ${state}, and nothing says what became of it`),
    ...changes.updates.map(({ id, to }) => `${id}: should be ${to.state} by now`),
  ];
}
