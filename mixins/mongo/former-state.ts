import type { Model } from "mongoose";
import type { EpochMs, GuildId } from "../../services/contracts/ids.ts";

/**
 * The state of a record before its last change that can move or cancel posts. It is stored beside the current state, or
 * in the tombstone of a removed record.
 *
 * Dispatch plans posts from current records. Without former states it would miss a post that was due before the change and
 * was not planned yet, and the history would have no entry of the post. Only the last former state is kept: an earlier one
 * is lost if the record changes again before dispatch plans.
 */
export interface FormerState {
  readonly guildId: GuildId;
  /** Time of that change, by the clock of the database server. */
  readonly until: Date;
}

/** The index that `findFormerStatesAfter` reads by. */
export const FORMER_INDEX = [
  { "former.guildId": 1, "former.until": 1 },
  { name: "former", partialFilterExpression: { "former.until": { $exists: true } } },
] as const;

/** Largest number of former states that one read of a guild returns. The owner of events limits occurrences by it, too. */
export const MAX_FORMER_STATES = 1_000;

/** The value of `former` in the update that replaces a record: an expression of the record's fields before the update. */
export function formerStateExpression(...fields: readonly string[]): Record<string, string> {
  return { ...Object.fromEntries(["guildId", ...fields].map((field) => [field, `$${field}`])), until: "$$NOW" };
}

/** The id of a record, and its former state. */
export interface FormerStateRow<Fields extends FormerState> {
  readonly _id: string;
  readonly former: Fields;
}

/**
 * Reads the former states of a guild's records whose change was stored after an instant; the latest first, and at most
 * MAX_FORMER_STATES. The query has the guild, which is the shard key. If the index is missing, the read fails: the hint keeps
 * MongoDB from sorting the whole collection.
 */
export function findFormerStatesAfter<Row, Fields extends FormerState>(
  model: Model<Row>,
  guildId: GuildId,
  after: EpochMs,
): Promise<FormerStateRow<Fields>[]> {
  return model
    .find({ guildId, "former.guildId": guildId, "former.until": { $gt: new Date(after) } } as never, { former: 1 })
    .sort({ "former.until": -1 })
    .hint(FORMER_INDEX[0])
    .limit(MAX_FORMER_STATES)
    .lean<FormerStateRow<Fields>[]>();
}
