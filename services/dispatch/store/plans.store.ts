import { isDeepStrictEqual } from "node:util";
import type { ClientSession, Connection, mongo } from "mongoose";
import { complete } from "../../../mixins/objects/complete.ts";
import { definedFields } from "../../../mixins/objects/defined-fields.ts";
import { isDuplicateKey } from "../../../mixins/mongo/change-feed.ts";
import { inTransaction } from "../../../mixins/mongo/transaction.ts";
import { type GuildId, LAST_EPOCH_MS } from "../../contracts/ids.ts";
import type { PlannedRow, PlanUpdate } from "../domain/plan/plan.ts";
import { MAX_OPEN_POSTS } from "../domain/plan/plan-input.ts";
import { UNSENT_STATES } from "../domain/post/post.ts";
import type { BoundedPlanFields, GuildPlanRow, SourceRow } from "./guild-plan.document.ts";
import { type Ledger, ledgerModels } from "./ledger-models.store.ts";
import { expiryFields, toStoredFields, type PostRow, RECORDED_NOW, toRow } from "./post.document.ts";
import type { BoundedPlan, GuildPlan, PlanCommit, PostStore, Source } from "../protocol/post-store.ts";

/** Another plan or a claim came first: the transaction is aborted. */
class Overtaken extends Error {}

/** As many as one plan may cancel or skip: all open posts, and two rows for each pair that it examines. */
const MAX_DELETED = 5 * MAX_OPEN_POSTS;
const DELETED_PER_COMMAND = 1_000;
/**
 * They are planned before the next ones are read. An unused cursor of MongoDB ends after ten minutes, and a guild that another
 * replica plans after it was read is planned twice.
 */
const DUE_GUILDS_AT_ONCE = 100;
/** With a guild in the filter, the database would consider the indexes of guilds, too. */
const BY_ID = { _id: 1 } as const;

type PlanStore = Pick<
  PostStore,
  | "commitPlan"
  | "deleteOldUnsent"
  | "guildPlan"
  | "guildsToReplan"
  | "hasPlans"
  | "plannedGuilds"
  | "requestPlan"
  | "sources"
  | "sourceVersions"
>;

export function plansStore(connection: Connection, ledger: Ledger = "announcements"): PlanStore {
  const { posts, plans, sources } = ledgerModels(connection, ledger);

  /** Increments the version, so that a plan with older input can't be stored any more. */
  async function advance(plan: PlanCommit, session: ClientSession): Promise<void> {
    const { guildId: _id, version } = plan;
    if (version === 0) {
      await plans.insertMany([{ _id, version: 1, ...toReachFields(plan) }], { session });
      return;
    }
    const replacement = { _id, version: version + 1, ...toReachFields(plan) };
    const pipeline = [replacementWithRequests(replacement, plan.requests ?? 0)];
    const { matchedCount } = await plans.updateOne({ _id, version }, pipeline, { session, updatePipeline: true });
    if (matchedCount === 0) throw new Overtaken();
  }

  async function changeRows({ guildId, inserts, updates, removes }: PlanCommit, session: ClientSession): Promise<void> {
    if (inserts.length > 0) await posts.insertMany(inserts.map(toRow), { session, lean: true });
    // An insert cannot have the time of the database server.
    const settled = inserts.filter(({ settledAt }) => settledAt !== undefined).map(({ id }) => id);
    if (settled.length > 0) await posts.updateMany({ guildId, _id: { $in: settled } }, RECORDED_NOW, { session });
    if (updates.length + removes.length === 0) return;
    const writes = [
      ...updates.map((update) => updateOf(guildId, update)),
      ...removes.map((row) => removalOf(guildId, row)),
    ];
    const { matchedCount, deletedCount } = await posts.bulkWrite(writes as never, { session });
    if (matchedCount !== updates.length || deletedCount !== removes.length) throw new Overtaken();
  }

  async function isStored(plan: PlanCommit): Promise<boolean> {
    const stored = await plans.findById(plan.guildId).lean<GuildPlanRow>();
    return (
      stored?.version === plan.version &&
      isDeepStrictEqual(toGuildPlan(stored), toGuildPlan({ ...toReachFields(plan), version: plan.version }))
    );
  }

  return {
    async guildPlan(guildId) {
      const row = await plans.findById(guildId).lean<GuildPlanRow>();
      return row === null ? { version: 0, plannedThrough: 0, replanAt: 0 } : toGuildPlan(row);
    },

    async commitPlan(plan) {
      const { version } = plan;
      const isSame = plan.inserts.length + plan.updates.length + plan.removes.length + plan.sources.length === 0;
      if (isSame && (await isStored(plan))) return version;
      try {
        await inTransaction(connection, async (session) => {
          await advance(plan, session);
          await changeRows(plan, session);
          const rows = plan.sources.map((source) => toSourceRow(plan.guildId, source));
          if (rows.length > 0) await sources.bulkWrite(rows.map(upsertOf) as never, { session });
        });
        return version + 1;
      } catch (error) {
        if (error instanceof Overtaken || isDuplicateKey(error)) return undefined;
        throw error;
      }
    },

    async requestPlan(_id, since) {
      const fields = {
        version: { $ifNull: ["$version", 1] },
        requests: { $add: [{ $ifNull: ["$requests", 0] }, 1] },
        plannedThrough: { $min: ["$plannedThrough", new Date(Math.min(since, LAST_EPOCH_MS)), "$$NOW"] },
        replanAt: { $min: ["$replanAt", "$$NOW"] },
      };
      await plans.updateOne({ _id }, [{ $set: fields }], { upsert: true, updatePipeline: true });
    },

    async deleteOldUnsent(guildId, kept) {
      const unsent = { guildId, state: { $in: [...UNSENT_STATES] } };
      for (let deleted = 0; deleted < MAX_DELETED; deleted += DELETED_PER_COMMAND) {
        const old = await posts
          .find(unsent, { _id: 1 })
          .sort({ settledAt: -1 })
          .skip(kept)
          .limit(DELETED_PER_COMMAND)
          .hint("unsent")
          .lean<Pick<PostRow, "_id">[]>();
        if (old.length > 0) await posts.deleteMany({ ...unsent, _id: { $in: old.map(({ _id }) => _id) } } as never);
        if (old.length < DELETED_PER_COMMAND) return;
      }
    },

    async plannedGuilds(guildIds) {
      const rows = await plans.find({ _id: { $in: [...guildIds] } }, { _id: 1 }).lean<Pick<GuildPlanRow, "_id">[]>();
      return rows.map(({ _id }) => _id as GuildId);
    },

    async *guildsToReplan(before, order) {
      const due = plans
        .find({ replanAt: { $lt: new Date(before) } }, { replanAt: 1 })
        .sort({ replanAt: order === "latest first" ? -1 : 1 })
        .lean<Pick<GuildPlanRow, "_id" | "replanAt">[]>()
        .cursor({ batchSize: DUE_GUILDS_AT_ONCE });
      for await (const { _id, replanAt } of due) yield { guildId: _id as GuildId, replanAt: replanAt.getTime() };
    },

    async hasPlans() {
      return (await plans.exists({})) !== null;
    },

    async sources(guildId, ids) {
      const rows = await sources.find({ guildId, _id: { $in: [...ids] } }).lean<SourceRow[]>();
      return rows.map((row) => Object.assign(toSourceVersion(row), { text: row.body }));
    },

    async sourceVersions(guildId, ids) {
      const rows = await sources
        .find({ guildId, _id: { $in: [...ids] } }, { digest: 1, neededUntil: 1 })
        .lean<SourceRow[]>();
      return rows.map(toSourceVersion);
    },
  };
}

/** The update to the replacement. Requests that the plan does not include stay, and their guild is due for its next plan. */
function replacementWithRequests(
  { plannedThrough, replanAt, ...others }: GuildPlanRow,
  included: number,
): mongo.BSON.Document {
  const requested = {
    requests: "$requests",
    plannedThrough: { $min: ["$plannedThrough", plannedThrough] },
    replanAt: { $min: ["$replanAt", replanAt] },
  };
  const isRequested = { $gt: [{ $ifNull: ["$requests", 0] }, included] };
  const reach = { $cond: [isRequested, requested, { plannedThrough, replanAt }] };
  return { $replaceWith: { $mergeObjects: [{ $literal: others }, reach] } };
}

type ReachFields = Omit<GuildPlanRow, "_id" | "version" | "requests">;

function toReachFields({ plannedThrough, replanAt, bounded, occurrencesThrough }: GuildPlan): ReachFields {
  return complete<ReachFields>()({
    plannedThrough: new Date(plannedThrough),
    replanAt: new Date(replanAt),
    ...definedFields({
      bounded: bounded && toStoredBound(bounded),
      occurrencesThrough: occurrencesThrough === undefined ? undefined : new Date(occurrencesThrough),
    }),
  });
}

function toGuildPlan({
  version,
  plannedThrough,
  replanAt,
  bounded,
  occurrencesThrough,
  requests,
}: Omit<GuildPlanRow, "_id">): GuildPlan {
  return complete<GuildPlan>()({
    version,
    plannedThrough: plannedThrough.getTime(),
    replanAt: replanAt.getTime(),
    ...definedFields({
      bounded: bounded && toBound(bounded),
      occurrencesThrough: occurrencesThrough?.getTime(),
      requests,
    }),
  });
}

function toStoredBound({ end, farthestEnd, recordedThrough }: BoundedPlan): BoundedPlanFields {
  return { cut: end, reached: farthestEnd, toldThrough: recordedThrough };
}

function toBound({ cut, reached, toldThrough }: BoundedPlanFields): BoundedPlan {
  return { end: cut, farthestEnd: reached, recordedThrough: toldThrough };
}

/** The update of a row that is unchanged since the plan read it. */
function updateOf(guildId: GuildId, { startsAt, to: changes, ...row }: PlanUpdate): object {
  const to = definedFields(changes) as typeof changes;
  const removed = "skipReason" in changes && changes.skipReason === undefined ? { $unset: { skipReason: 1 } } : {};
  const expiry = to.state === "planned" ? {} : expiryFields({ settledAt: to.settledAt, startsAt });
  const recorded = to.state === "planned" ? {} : RECORDED_NOW;
  const update = {
    $set: { ...toStoredFields({ ...to }), ...expiry },
    $inc: { planRevision: 1 },
    ...removed,
    ...recorded,
  };
  return { updateOne: { filter: unchangedRow(guildId, row), update, hint: BY_ID } };
}

function removalOf(guildId: GuildId, row: PlannedRow): object {
  return { deleteOne: { filter: unchangedRow(guildId, row), hint: BY_ID } };
}

function unchangedRow(guildId: GuildId, { id, fence, planRevision }: PlannedRow): object {
  return { _id: id, guildId, state: "planned", fence, planRevision };
}

function toSourceRow(guildId: string, { id, version, text, neededUntil }: Source): SourceRow {
  return { _id: id, guildId, digest: version, body: text, neededUntil: new Date(neededUntil) };
}

function toSourceVersion({ _id, digest, neededUntil }: Omit<SourceRow, "body">): Omit<Source, "text"> {
  return { id: _id, version: digest, neededUntil: neededUntil.getTime() };
}

function upsertOf(row: SourceRow): object {
  return { replaceOne: { filter: { _id: row._id, guildId: row.guildId }, replacement: row, upsert: true } };
}
