import { createHash } from "node:crypto";
import type { ClientSession, Connection } from "mongoose";
import { inTransaction } from "../../mixins/transaction.ts";
import type { PlanUpdate } from "./domain/plan-posts.ts";
import { type GuildPlanRow, guildPlanSchema, type SourceRow, sourceSchema } from "./guild-plan.document.ts";
import { expiryOf, fieldsOf, type PostRow, postSchema, rowOf } from "./post.document.ts";
import type { PlanCommit, PostStore, Source } from "./protocol/post-store.ts";

/** Another plan, or a claim, came between: nothing of this one is stored. */
class Overtaken extends Error {}

type Plans = Pick<PostStore, "guildPlan" | "commitPlan" | "guildsToReplan" | "sources">;

export function plansStore(connection: Connection): Plans {
  const posts = connection.model<PostRow>("Post", postSchema);
  const plans = connection.model<GuildPlanRow>("GuildPlan", guildPlanSchema);
  const sources = connection.model<SourceRow>("PlanSource", sourceSchema);

  /** Raises the version: from then on a plan that was made from older truth can't be stored. */
  async function advance(plan: PlanCommit, session: ClientSession): Promise<void> {
    const { guildId: _id, version } = plan;
    const reach = { plannedThrough: new Date(plan.plannedThrough), replanAt: new Date(plan.replanAt) };
    if (version === 0) {
      await plans.insertMany([{ _id, version: 1, ...reach }], { session });
      return;
    }
    const { matchedCount } = await plans.updateOne({ _id, version }, { version: version + 1, ...reach }, { session });
    if (matchedCount === 0) throw new Overtaken();
  }

  async function changeRows({ inserts, updates }: PlanCommit, session: ClientSession): Promise<void> {
    if (inserts.length > 0) await posts.insertMany(inserts.map(rowOf), { session, lean: true });
    if (updates.length === 0) return;
    const { matchedCount } = await posts.bulkWrite(updates.map(asWrite) as never, { session });
    if (matchedCount !== updates.length) throw new Overtaken();
  }

  /** Those that are new, or not as they were last seen, or needed for longer. */
  async function changedSources(plan: PlanCommit): Promise<SourceRow[]> {
    const rows = plan.sources.map((source) => sourceRow(plan.guildId, source));
    const ids = rows.map(({ _id }) => _id);
    const known = await sources.find({ _id: { $in: ids } }, { digest: 1, neededUntil: 1 }).lean<SourceRow[]>();
    const byId = new Map(known.map((row) => [row._id, row]));
    return rows.filter(({ _id, digest, neededUntil }) => {
      const before = byId.get(_id);
      return before === undefined || before.digest !== digest || before.neededUntil < neededUntil;
    });
  }

  async function isAsStored(plan: PlanCommit): Promise<boolean> {
    const stored = await plans.findById(plan.guildId).lean<GuildPlanRow>();
    return (
      stored?.version === plan.version &&
      stored.plannedThrough.getTime() === plan.plannedThrough &&
      stored.replanAt.getTime() === plan.replanAt
    );
  }

  return {
    async guildPlan(guildId) {
      const row = await plans.findById(guildId).lean<GuildPlanRow>();
      if (row === null) return { version: 0, plannedThrough: 0, replanAt: 0 };
      const { version, plannedThrough, replanAt } = row;
      return { version, plannedThrough: plannedThrough.getTime(), replanAt: replanAt.getTime() };
    },

    async commitPlan(plan) {
      const changed = await changedSources(plan);
      const isSame = plan.inserts.length + plan.updates.length + changed.length === 0;
      if (isSame && (await isAsStored(plan))) return true;
      try {
        await inTransaction(connection, async (session) => {
          await advance(plan, session);
          await changeRows(plan, session);
          if (changed.length > 0) await sources.bulkWrite(changed.map(asUpsert) as never, { session });
        });
        return true;
      } catch (error) {
        if (error instanceof Overtaken || isDuplicateKey(error)) return false;
        throw error;
      }
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
      return rows.map(({ _id, body, neededUntil }) => ({
        id: _id,
        body: JSON.parse(body) as object,
        neededUntil: neededUntil.getTime(),
      }));
    },
  };
}

/** The update of a row that is still as the plan saw it. */
function asWrite({ id, startsAt, fence, planRevision, to }: PlanUpdate): object {
  const expiry = to.state === "planned" ? {} : expiryOf({ settledAt: to.settledAt, startsAt });
  return {
    updateOne: {
      filter: { _id: id, state: "planned", fence, planRevision },
      update: { $set: { ...fieldsOf({ ...to }), ...expiry }, $inc: { planRevision: 1 } },
    },
  };
}

function sourceRow(guildId: string, { id, body, neededUntil }: Source): SourceRow {
  const text = JSON.stringify(body);
  const digest = createHash("sha256").update(text).digest("base64");
  return { _id: id, guildId, digest, body: text, neededUntil: new Date(neededUntil) };
}

function asUpsert(row: SourceRow): object {
  return { replaceOne: { filter: { _id: row._id }, replacement: row, upsert: true } };
}

function isDuplicateKey(error: unknown): boolean {
  return (error as { code?: unknown }).code === 11_000;
}
