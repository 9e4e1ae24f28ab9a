import { isDeepStrictEqual } from "node:util";
import type { ClientSession, Connection } from "mongoose";
import type { GuildId } from "../../contracts/ids.ts";
import { isDuplicateKey } from "../../../mixins/mongo/change-feed.ts";
import { inTransaction } from "../../../mixins/mongo/transaction.ts";
import { MAX_OPEN_POSTS, type PlannedRow, type PlanUpdate } from "../domain/plan/plan-input.ts";
import { UNSENT_STATES } from "../domain/post/post.ts";
import { type GuildPlanRow, guildPlanSchema, type SourceRow, sourceSchema } from "./guild-plan.document.ts";
import { expiryOf, fieldsOf, type PostRow, postSchema, rowOf } from "./post.document.ts";
import type { GuildPlan, PlanCommit, PostStore, Source } from "../protocol/post-store.ts";

/** Another plan, or a claim, came between: nothing of this one is stored. */
class Overtaken extends Error {}

/** As many as a plan may call off or skip: all that were open, and two rows for each pair that it looks at. */
const FORGOTTEN_AT_ONCE = 5 * MAX_OPEN_POSTS;
const FORGOTTEN_IN_A_COMMAND = 1_000;

type Plans = Pick<
  PostStore,
  "forgetUnsent" | "guildPlan" | "plannedGuilds" | "commitPlan" | "guildsToReplan" | "sources" | "sourceVersions"
>;

export function plansStore(connection: Connection): Plans {
  const posts = connection.model<PostRow>("Post", postSchema);
  const plans = connection.model<GuildPlanRow>("GuildPlan", guildPlanSchema);
  const sources = connection.model<SourceRow>("PlanSource", sourceSchema);

  /** Raises the version: from then on a plan that was made from older truth can't be stored. */
  async function advance(plan: PlanCommit, session: ClientSession): Promise<void> {
    const { guildId: _id, version } = plan;
    if (version === 0) {
      await plans.insertMany([{ _id, version: 1, ...reachOf(plan) }], { session });
      return;
    }
    const replacement = { version: version + 1, ...reachOf(plan) };
    const { matchedCount } = await plans.replaceOne({ _id, version }, replacement, { session });
    if (matchedCount === 0) throw new Overtaken();
  }

  async function changeRows({ inserts, updates, removes }: PlanCommit, session: ClientSession): Promise<void> {
    if (inserts.length > 0) await posts.insertMany(inserts.map(rowOf), { session, lean: true });
    if (updates.length + removes.length === 0) return;
    const writes = [...updates.map(asUpdate), ...removes.map(asRemoval)];
    const { matchedCount, deletedCount } = await posts.bulkWrite(writes as never, { session });
    if (matchedCount !== updates.length || deletedCount !== removes.length) throw new Overtaken();
  }

  async function isAsStored(plan: PlanCommit): Promise<boolean> {
    const stored = await plans.findById(plan.guildId).lean<GuildPlanRow>();
    return (
      stored?.version === plan.version &&
      isDeepStrictEqual(planOf(stored), planOf({ ...reachOf(plan), version: plan.version }))
    );
  }

  return {
    async guildPlan(guildId) {
      const row = await plans.findById(guildId).lean<GuildPlanRow>();
      return row === null ? { version: 0, plannedThrough: 0, replanAt: 0 } : planOf(row);
    },

    async commitPlan(plan) {
      const { version } = plan;
      const isSame = plan.inserts.length + plan.updates.length + plan.removes.length + plan.sources.length === 0;
      if (isSame && (await isAsStored(plan))) return version;
      try {
        await inTransaction(connection, async (session) => {
          await advance(plan, session);
          await changeRows(plan, session);
          const rows = plan.sources.map((source) => sourceRow(plan.guildId, source));
          if (rows.length > 0) await sources.bulkWrite(rows.map(asUpsert) as never, { session });
        });
        return version + 1;
      } catch (error) {
        if (error instanceof Overtaken || isDuplicateKey(error)) return undefined;
        throw error;
      }
    },

    async forgetUnsent(guildId, kept) {
      const unsent = { guildId, state: { $in: [...UNSENT_STATES] } };
      for (let forgotten = 0; forgotten < FORGOTTEN_AT_ONCE; forgotten += FORGOTTEN_IN_A_COMMAND) {
        const old = await posts
          .find(unsent, { _id: 1 })
          .sort({ settledAt: -1 })
          .skip(kept)
          .limit(FORGOTTEN_IN_A_COMMAND)
          .hint("unsent")
          .lean<Pick<PostRow, "_id">[]>();
        if (old.length > 0) await posts.deleteMany({ ...unsent, _id: { $in: old.map(({ _id }) => _id) } } as never);
        if (old.length < FORGOTTEN_IN_A_COMMAND) return;
      }
    },

    async plannedGuilds(guildIds) {
      const rows = await plans.find({ _id: { $in: [...guildIds] } }, { _id: 1 }).lean<Pick<GuildPlanRow, "_id">[]>();
      return rows.map(({ _id }) => _id as GuildId);
    },

    async guildsToReplan(before, limit) {
      const due = await plans
        .find({ replanAt: { $lt: new Date(before) } })
        .sort({ replanAt: 1 })
        .limit(limit)
        .lean<GuildPlanRow[]>();
      return due.map(({ _id, replanAt }) => ({ guildId: _id as never, replanAt: replanAt.getTime() }));
    },

    async sources(ids) {
      const rows = await sources.find({ _id: { $in: [...ids] } }).lean<SourceRow[]>();
      return rows.map((row) => Object.assign(versionOf(row), { text: row.body }));
    },

    async sourceVersions(ids) {
      const rows = await sources.find({ _id: { $in: [...ids] } }, { digest: 1, neededUntil: 1 }).lean<SourceRow[]>();
      return rows.map(versionOf);
    },
  };
}

function reachOf({
  plannedThrough,
  replanAt,
  bounded,
  occurrencesThrough,
}: GuildPlan): Omit<GuildPlanRow, "_id" | "version"> {
  return {
    plannedThrough: new Date(plannedThrough),
    replanAt: new Date(replanAt),
    ...(bounded === undefined ? {} : { bounded }),
    ...(occurrencesThrough === undefined ? {} : { occurrencesThrough: new Date(occurrencesThrough) }),
  };
}

function planOf({
  version,
  plannedThrough,
  replanAt,
  bounded,
  occurrencesThrough,
}: Omit<GuildPlanRow, "_id">): GuildPlan {
  return {
    version,
    plannedThrough: plannedThrough.getTime(),
    replanAt: replanAt.getTime(),
    ...(bounded === undefined ? {} : { bounded }),
    ...(occurrencesThrough === undefined ? {} : { occurrencesThrough: occurrencesThrough.getTime() }),
  };
}

/** The update of a row that is still as the plan saw it. */
function asUpdate({ startsAt, to, ...row }: PlanUpdate): object {
  const expiry = to.state === "planned" ? {} : expiryOf({ settledAt: to.settledAt, startsAt });
  const update = { $set: { ...fieldsOf({ ...to }), ...expiry }, $inc: { planRevision: 1 } };
  return { updateOne: { filter: asPlanned(row), update } };
}

function asRemoval(row: PlannedRow): object {
  return { deleteOne: { filter: asPlanned(row) } };
}

function asPlanned({ id, fence, planRevision }: PlannedRow): object {
  return { _id: id, state: "planned", fence, planRevision };
}

function sourceRow(guildId: string, { id, version, text, neededUntil }: Source): SourceRow {
  return { _id: id, guildId, digest: version, body: text, neededUntil: new Date(neededUntil) };
}

function versionOf({ _id, digest, neededUntil }: Omit<SourceRow, "body">): Omit<Source, "text"> {
  return { id: _id, version: digest, neededUntil: neededUntil.getTime() };
}

function asUpsert(row: SourceRow): object {
  return { replaceOne: { filter: { _id: row._id }, replacement: row, upsert: true } };
}
