import { isDeepStrictEqual } from "node:util";
import type { ChangeMark } from "../../../services/contracts/change-feed.contract.ts";
import type { GuildId } from "../../../services/contracts/ids.ts";
import type { SinksEnabledSince } from "../../../services/dispatch/domain/plan/plan-input.ts";
import { applyUpdate } from "../../../services/dispatch/domain/plan/plan-posts.ts";
import { isOpen, type Post, TRANSITIONS, UNSENT_STATES } from "../../../services/dispatch/domain/post/post.ts";
import type { Outage } from "../../../services/dispatch/domain/post/wait.ts";
import type { Feed } from "../../../services/dispatch/protocol/feeds.ts";
import type {
  GuildPlan,
  PartitionMark,
  PostStore,
  PostWrite,
  Source,
} from "../../../services/dispatch/protocol/post-store.ts";

const MAX_OUTAGES = 20;

/** The plan and ledger in memory, for the simulator. It keeps the same promises as the store in MongoDB. */
export interface MemoryPostStore extends PostStore {
  readonly posts: ReadonlyMap<string, Post>;
}

/**
 * @param now - The database's clock.
 * @param written - Called for every write, with the row before (undefined for a new one) and after.
 */
export function newMemoryPostStore(
  now: () => number,
  written: (before: Post | undefined, after: Post) => void = () => {},
): MemoryPostStore {
  const posts = new Map<string, Post>();
  const plans = new Map<GuildId, GuildPlan>();
  const kept = new Map<string, Source>();
  let firstAt: number | undefined;
  let beatAt: number | undefined;
  let outages: readonly Outage[] = [];
  let sinksOn: SinksEnabledSince | undefined;
  const marks = new Map<Feed, Map<number, PartitionMark>>();

  function put(before: Post | undefined, after: Post): Post {
    if (before !== undefined && !TRANSITIONS[before.state].includes(after.state)) {
      throw new Error(`${before.state} → ${after.state} is no step of a post`);
    }
    posts.set(after.id, after);
    written(before, after);
    return after;
  }

  function list(holds: (post: Post) => boolean): Post[] {
    return [...posts.values()].filter(holds);
  }

  return {
    posts,
    guildPlan: async (guildId) => plans.get(guildId) ?? { version: 0, plannedThrough: 0, replanAt: 0 },
    plannedGuilds: async (guildIds) => guildIds.filter((guildId) => plans.has(guildId)),
    postsForPlan: async (guildId, limit) => {
      const ofGuild = list((post) => post.guildId === guildId);
      const open = ofGuild.filter(isOpen).sort((one, other) => one.dueAt - other.dueAt || (one.id < other.id ? -1 : 1));
      const isStanding = ({ suspends, summaryOf }: Post) => suspends !== undefined || summaryOf !== undefined;
      return [...open.slice(0, limit), ...ofGuild.filter(isStanding)];
    },
    postsOfPairs: async (guildId, occurrenceIds, announcementIds) => {
      const occurrences = new Set(occurrenceIds);
      const announcements = new Set(announcementIds);
      return list(
        (post) =>
          post.guildId === guildId && occurrences.has(post.occurrenceId) && announcements.has(post.announcementId),
      );
    },

    async commitPlan({ guildId, version, inserts, updates, removes, sources, ...reach }) {
      const before = plans.get(guildId);
      if ((before?.version ?? 0) !== version) return undefined;
      const asRead = [...updates, ...removes].every(({ id, fence, planRevision }) => {
        const row = posts.get(id);
        return row?.state === "planned" && row.fence === fence && row.planRevision === planRevision;
      });
      if (!asRead || inserts.some(({ id }) => posts.has(id))) return undefined;
      for (const source of sources) kept.set(source.id, source);
      const plan = planAfter(before, { version, ...reach });
      const isSame = inserts.length + updates.length + removes.length + sources.length === 0;
      if (isSame && isDeepStrictEqual(before, plan)) return version;
      plans.set(guildId, { ...plan, version: version + 1 });
      for (const { id } of removes) posts.delete(id);
      for (const update of updates) {
        const row = posts.get(update.id) as Post;
        put(row, applyUpdate(row, update));
      }
      for (const post of inserts) put(undefined, post);
      return version + 1;
    },

    async requestPlan(guildId, since) {
      const {
        version = 1,
        requests = 0,
        plannedThrough = Infinity,
        replanAt = Infinity,
        ...plan
      } = plans.get(guildId) ?? {};
      const reach = { plannedThrough: Math.min(plannedThrough, since, now()), replanAt: Math.min(replanAt, now()) };
      plans.set(guildId, { ...plan, version, ...reach, requests: requests + 1 });
    },

    deleteOldUnsent: async (guildId, amount) => {
      const unsent = list((post) => post.guildId === guildId && UNSENT_STATES.includes(post.state));
      const latestFirst = unsent.sort((one, other) => (other.settledAt ?? 0) - (one.settledAt ?? 0));
      for (const { id } of latestFirst.slice(amount)) posts.delete(id);
    },

    async *guildsToReplan(before, order) {
      const due = [...plans].filter(([, { replanAt }]) => replanAt < before);
      due.sort(([, one], [, other]) => one.replanAt - other.replanAt);
      if (order === "latest first") due.reverse();
      for (const [guildId, { replanAt }] of due) yield { guildId, replanAt };
    },

    hasPlans: async () => plans.size > 0,

    async postsWaking(from, before, limit) {
      const waking = (holds: (post: Post) => boolean) =>
        list((post) => holds(post) && post.wakeAt >= from && post.wakeAt < before)
          .sort((one, other) => one.wakeAt - other.wakeAt)
          .slice(0, limit);
      return [...waking(isOpen), ...waking(({ stepDue }) => stepDue === true)];
    },

    async editedPosts(guildId, at, limit) {
      const untilOf = ({ message }: Post) => message?.until ?? 0;
      return list((post) => post.guildId === guildId && post.state === "sent" && untilOf(post) > at)
        .sort((one, other) => untilOf(other) - untilOf(one))
        .slice(0, limit);
    },

    async requestSteps(guildId, ids) {
      for (const id of ids) {
        const row = posts.get(id);
        if (row?.guildId !== guildId || row.state !== "sent" || row.message === undefined) continue;
        const wakeAt = row.owner === undefined ? now() : row.wakeAt;
        put(row, { ...row, stepDue: true, wakeAt, planRevision: row.planRevision + 1 });
      }
    },

    async postsOfGuildsWaking(from, before, { behind = "", guilds, postsPerGuild }) {
      const page = [...plans.keys()]
        .filter((guildId) => guildId > behind)
        .toSorted()
        .slice(0, guilds);
      const isBetween = (at: number) => at >= from && at < before;
      const found = page.map((guildId) =>
        list((post) => post.guildId === guildId && isOpen(post) && isBetween(post.wakeAt) && isBetween(post.dueAt))
          .sort((one, other) => one.dueAt - other.dueAt)
          .slice(0, postsPerGuild),
      );
      return { posts: found.flat(), last: page.length < guilds ? undefined : page.at(-1) };
    },

    find: async ({ id }) => posts.get(id) ?? null,

    async claim({
      post,
      madeAt,
      owner,
      attemptId,
      leaseMs,
      parts,
      notAfter,
      announcementRevision,
      waited,
      changedBy,
      message,
    }) {
      const { id, fence, planRevision } = post;
      const row = posts.get(id);
      if (row?.state !== "planned" || row.fence !== fence || row.planRevision !== planRevision) return null;
      // A write has one time, like `$$NOW`.
      const at = now();
      if (at < row.dueAt || at > notAfter) return null;
      const held = { owner, attemptId, parts, fence: fence + 1, attempts: row.attempts + 1, wakeAt: at + leaseMs };
      return put(row, {
        ...row,
        ...held,
        announcementRevision,
        state: "sending",
        claimedAt: madeAt,
        doubtSince: at,
        delivered: [],
        ...(waited && { waited }),
        ...(changedBy && { changedBy }),
        ...(message && { message }),
      });
    },

    async takeOver({ id, fence, state, owner, attemptId, leaseMs }) {
      const row = posts.get(id);
      const at = now();
      if (row?.state !== state || row.fence !== fence || at < row.wakeAt) return null;
      if (state === "sent" && row.stepDue !== true) return null;
      const crashes = row.crashes + (row.owner === undefined ? 0 : 1);
      const held = { owner, attemptId, fence: fence + 1, attempts: row.attempts + 1, wakeAt: at + leaseMs };
      return put(row, { ...row, ...held, crashes });
    },

    async extendLease({ id, fence, delivered }, leaseMs) {
      const row = posts.get(id);
      if (row?.state !== "sending" || row.fence !== fence) return null;
      return put(row, { ...row, delivered, wakeAt: now() + leaseMs });
    },

    async write({ id, fence, state, planRevision }, write) {
      const row = posts.get(id);
      if (row?.state !== state || row.fence !== fence || row.planRevision !== planRevision) return null;
      return put(row, withoutAbsent(row, write));
    },

    async recordHeartbeat(awakeSince, gapMs) {
      const at = now();
      if (beatAt !== undefined && at - beatAt > gapMs) {
        const cause = awakeSince <= beatAt ? "DATABASE" : "DISPATCH_DOWN";
        outages = [...outages, { cause, from: beatAt, until: at } as const].slice(-MAX_OUTAGES);
      }
      firstAt ??= at;
      beatAt = at;
      return { firstAt, outages };
    },

    sources: async (_guildId, ids) => ids.flatMap((id) => kept.get(id) ?? []),
    sourceVersions: async (_guildId, ids) =>
      ids.flatMap((id) => kept.get(id) ?? []).map(({ text: _text, ...version }) => version),
    async enableSinks(names) {
      const before = sinksOn;
      sinksOn = Object.fromEntries(names.map((name) => [name, before === undefined ? 0 : (before[name] ?? now())]));
      return { sinksEnabledSince: sinksOn };
    },
    partitionMarks: async (feed) => new Map(marks.get(feed)),
    async savePartitionMarks(feed, saved, by) {
      const stored = marks.get(feed) ?? new Map<number, PartitionMark>();
      marks.set(feed, stored);
      for (const [partition, { mark, confirmedAt }] of saved) {
        const before = stored.get(partition);
        const isLater = before === undefined || compareMarks(mark, before.mark) > 0;
        stored.set(partition, {
          mark: isLater ? mark : before.mark,
          confirmedAt: Math.max(confirmedAt, before?.confirmedAt ?? 0),
          by,
          savedAt: now(),
        });
      }
    },
  };
}

/** The stored plan. Requests that the plan does not include stay. Undefined fields are not stored. */
function planAfter(
  before: GuildPlan | undefined,
  { version, plannedThrough, replanAt, bounded, occurrencesThrough, requests: included = 0 }: GuildPlan,
): GuildPlan {
  const others = {
    version,
    ...(bounded === undefined ? {} : { bounded }),
    ...(occurrencesThrough === undefined ? {} : { occurrencesThrough }),
  };
  if (before?.requests === undefined || before.requests <= included) return { ...others, plannedThrough, replanAt };
  return {
    ...others,
    requests: before.requests,
    plannedThrough: Math.min(before.plannedThrough, plannedThrough),
    replanAt: Math.min(before.replanAt, replanAt),
  };
}

/** An undefined value removes the field. */
function withoutAbsent(row: Post, write: PostWrite): Post {
  return Object.fromEntries(Object.entries({ ...row, ...write }).filter(([, value]) => value !== undefined)) as never;
}

function compareMarks(one: ChangeMark, other: ChangeMark): number {
  if (one.at !== other.at) return one.at - other.at;
  if (one.id === other.id) return 0;
  return one.id < other.id ? -1 : 1;
}
