import mongoose from "mongoose";
import { withTimeout } from "../../../mixins/async/timeout.ts";
import { type ReadableModel, findRows } from "../../../mixins/mongo/find-command.ts";
import { batched } from "../../../mixins/async/batch.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { type UpdatableModel, bulkUpdate } from "../../../mixins/mongo/bulk-update.ts";

/** A compare-and-set of one row. */
export interface CompareAndSet {
  readonly id: string;
  /** The shard key: the command asks only the shards of the guilds. */
  readonly guildId: GuildId;
  /** Filter that the row must match. */
  readonly expected: object;
  readonly change: Change;
  /** Whether the caller can compute the changed row. The row is not read then, if all changes of the command were applied. */
  readonly isKnown?: boolean;
}

export type Change =
  /** Expressions over the row before the change; their `$$NOW` is the database's time when the command begins. */
  | { readonly computed: object }
  /** Values, names of fields to remove, and further operators of the update. */
  | { readonly set: object; readonly unset: readonly string[]; readonly operators?: object };

const TIMEOUT_MS = 5_000;
/** All changes of a command have the same `$$NOW`, so a command must not be long. */
const MAX_BATCH = 100;

/**
 * Applies the changes of many rows in one command, because a command and its majority write concern cost more than a row.
 * Resolves to the changed row, to "done" if it is known and was not read, or to null if the row did not match. Each change is
 * atomic, and durable once it has resolved. A change that rejects may have been applied or not, and does not affect the others.
 *
 * @param gatherMs - How long a command waits for more changes.
 */
export function batchedCompareAndSet<Row extends { readonly _id: string }>(
  model: ReadableModel & UpdatableModel,
  gatherMs = 0,
): (change: CompareAndSet) => Promise<Row | "done" | null> {
  /** Every change stores a mark of its own in the row, by which the row is read back. */
  async function applyAll(changes: readonly CompareAndSet[]): Promise<(Row | "done" | Error | null)[]> {
    const marked = changes.map((change) => ({ ...change, mark: new mongoose.mongo.ObjectId() }));
    const updates = marked.map(({ id, guildId, expected, change, mark }) => ({
      q: { ...expected, _id: id, guildId },
      u: updateOf(change, mark),
    }));
    const { n, refused } = await bulkUpdate(model, updates);
    const allApplied = n === marked.length;
    const rows = await readMarked(allApplied ? marked.filter(({ isKnown }) => isKnown !== true) : marked);
    return marked.map(({ mark, isKnown }, at) => {
      if (allApplied && isKnown === true) return "done";
      return refused.get(at) ?? rows.get(mark.toHexString()) ?? null;
    });
  }

  async function readMarked(changes: readonly MarkedChange[]): Promise<ReadonlyMap<string, Row>> {
    if (changes.length === 0) return new Map();
    const filter = {
      _id: { $in: changes.map(({ id }) => id) },
      guildId: { $in: [...new Set(changes.map(({ guildId }) => guildId))] },
      step: { $in: changes.map(({ mark }) => mark) },
    };
    const rows = await findRows<Row & { readonly step: Mark }>(model, { filter, hint: { _id: 1 } });
    return new Map(rows.map((row) => [row.step.toHexString(), row]));
  }

  // A command without a response must not block the next one forever.
  return batched((changes) => withTimeout(TIMEOUT_MS, "a batch of compare-and-set", applyAll(changes)), {
    maxSize: MAX_BATCH,
    gatherMs,
  });
}

type Mark = InstanceType<typeof mongoose.mongo.ObjectId>;
type MarkedChange = CompareAndSet & { readonly mark: Mark };

function updateOf(change: Change, step: Mark): object {
  if ("computed" in change) return [{ $set: { ...change.computed, step } }];
  const unset = Object.fromEntries(change.unset.map((name) => [name, ""]));
  return { $set: { ...change.set, step }, ...(change.unset.length > 0 && { $unset: unset }), ...change.operators };
}
