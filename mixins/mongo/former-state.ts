import type { Model } from "mongoose";
import type { EpochMs, GuildId } from "../../services/contracts/ids.ts";

/** What a record was before the last change that counts, stored beside what came after, or in its tombstone. */
export interface FormerState {
  readonly guildId: GuildId;
  /** When that change was stored, by the database server's clock. */
  readonly until: Date;
}

/** The index that `formerStatesSince` reads by. */
export const FORMER_INDEX = [
  { "former.guildId": 1, "former.until": 1 },
  { name: "former", partialFilterExpression: { "former.until": { $exists: true } } },
] as const;

/** More than these are not told of one guild: the latest are. */
export const MAX_FORMER = 1_000;

/** An expression for what the stored record is, in the update that replaces it. */
export function storedStateExpression(...fields: readonly string[]): Record<string, string> {
  return { ...Object.fromEntries(["guildId", ...fields].map((field) => [field, `$${field}`])), until: "$$NOW" };
}

/** A record's id, and what it was before. */
export interface FormerStateRow<Fields extends FormerState> {
  readonly _id: string;
  readonly former: Fields;
}

/** What records of a guild were before a change that was stored after an instant; the latest first. */
export function formerStatesSince<Row, Fields extends FormerState>(
  model: Model<Row>,
  guildId: GuildId,
  after: EpochMs,
): Promise<FormerStateRow<Fields>[]> {
  return model
    .find({ "former.guildId": guildId, "former.until": { $gt: new Date(after) } } as never, { former: 1 })
    .sort({ "former.until": -1 })
    .hint(FORMER_INDEX[0])
    .limit(MAX_FORMER)
    .lean<FormerStateRow<Fields>[]>();
}
