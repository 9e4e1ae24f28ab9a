import mongoose from "mongoose";
import { withTimeout } from "../../../mixins/async/timeout.ts";
import { type ReadableModel, findRows } from "../../../mixins/mongo/find-command.ts";
import { batched } from "../../../mixins/async/batch.ts";
import { type UpdatableModel, bulkUpdate } from "../../../mixins/mongo/bulk-update.ts";

/** One step of one row: a compare-and-set. */
export interface Step {
  readonly id: string;
  /** What the row has to be. */
  readonly from: object;
  readonly change: Change;
  /** Whether its maker can tell the row as it then is: then it is not read. */
  readonly isKnown?: boolean;
}

/** What becomes of a row. */
export type Change =
  /** Expressions, which see the row as it was; their `$$NOW` is the database's, when the command begins. */
  | { readonly computed: object }
  /** Values, and names of fields that go. */
  | { readonly set: object; readonly unset: readonly string[] };

const ANSWERS_MS = 5_000;
/** More than this in one command are two: the last sees the same `$$NOW` as the first. */
const MOST = 100;

/**
 * Takes steps of many rows in one command: waiting for the majority's journal, and the command itself, cost more than a
 * row. Resolves to the row as the step left it ("done" where that is known), or null when the row was not as it had to be.
 * Each step is atomic, and durable once it is answered; one that rejects may have happened or not, and does not keep the
 * others from happening.
 *
 * @param gatherMs - How long a command waits for more steps before it goes.
 */
export function batchedSteps<Row extends { readonly _id: string }>(
  model: ReadableModel & UpdatableModel,
  gatherMs = 0,
): (step: Step) => Promise<Row | "done" | null> {
  /** Every step leaves a mark of its own, by which its maker knows it again. */
  async function takeAll(steps: readonly Step[]): Promise<(Row | "done" | Error | null)[]> {
    const marked = steps.map((step) => ({ ...step, mark: new mongoose.mongo.ObjectId() }));
    const updates = marked.map(({ id, from, change, mark }) => ({
      q: { ...from, _id: id },
      u: updateOf(change, mark),
    }));
    const { n, refused } = await bulkUpdate(model, updates);
    const allTaken = n === marked.length;
    const rows = await readMarked(allTaken ? marked.filter(({ isKnown }) => isKnown !== true) : marked);
    return marked.map(({ mark, isKnown }, at) => {
      if (allTaken && isKnown === true) return "done";
      const problem = refused.get(at);
      return problem === undefined ? (rows.get(mark.toHexString()) ?? null) : new Error(problem.errmsg);
    });
  }

  async function readMarked(steps: readonly MarkedStep[]): Promise<ReadonlyMap<string, Row>> {
    if (steps.length === 0) return new Map();
    const filter = { _id: { $in: steps.map(({ id }) => id) }, step: { $in: steps.map(({ mark }) => mark) } };
    const rows = await findRows<Row & { readonly step: Mark }>(model, { filter });
    return new Map(rows.map((row) => [row.step.toHexString(), row]));
  }

  // One that never answers must not hold its place for ever.
  return batched((steps) => withTimeout(ANSWERS_MS, "a command of steps", takeAll(steps)), { maxSize: MOST, gatherMs });
}

type Mark = InstanceType<typeof mongoose.mongo.ObjectId>;
type MarkedStep = Step & { readonly mark: Mark };

/** As MongoDB takes it, and with the mark. */
function updateOf(change: Change, step: Mark): object {
  if ("computed" in change) return [{ $set: { ...change.computed, step } }];
  const unset = Object.fromEntries(change.unset.map((name) => [name, ""]));
  return { $set: { ...change.set, step }, ...(change.unset.length > 0 && { $unset: unset }) };
}
