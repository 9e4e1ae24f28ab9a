import DataLoader from "dataloader";
import mongoose from "mongoose";
import { within } from "../../mixins/bounded-answers.ts";
import { databaseOf, type Readable, readRows } from "../../mixins/short-reads.ts";

/** One step of one row: a compare-and-set. */
export interface Step {
  readonly id: string;
  /** What the row has to be. */
  readonly from: object;
  /** What becomes of it, as an update pipeline; its `$$NOW` is the database's, when the command begins. */
  readonly update: readonly object[];
}

/** More steps than this are two commands: the last of one sees the same "now" as the first. */
const MOST_STEPS = 100;
/** Commands under way at once. What comes while they are goes together into the next. */
const AT_ONCE = 2;
const ANSWERS_MS = 5_000;

/**
 * Takes steps of many rows in one command: waiting for the majority's journal, and the command itself, cost more than a
 * row. Resolves to the row as the step left it, or null when the row was not as it had to be. Each step is atomic, and
 * durable once it is answered; one that rejects may have happened or not, and does not keep the others from happening.
 *
 * By the library `dataloader`, which gathers, splits and hands out; its cache is off.
 */
export function stepsTogether<Row extends { readonly _id: string }>(
  model: Readable,
): (step: Step) => Promise<Row | null> {
  /** What may begin once a command has ended, in the order of its coming. */
  const waiting: (() => void)[] = [];
  let free = AT_ONCE;

  /** What the same poll of the sockets brought in, and all that comes until a command may begin, goes together. */
  function schedule(dispatch: () => void): void {
    if (free === 0) return void waiting.push(dispatch);
    free -= 1;
    setImmediate(dispatch);
  }

  function end(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  /** Every step leaves a mark of its own, by which its maker knows it again. */
  async function takeAll(steps: readonly Step[]): Promise<(Row | Error | null)[]> {
    const marked = steps.map((step) => ({ ...step, mark: new mongoose.mongo.ObjectId() }));
    const failures = await writeAll(marked);
    const rows = await readRows<Row & { readonly step: Mark }>(model, {
      filter: { _id: { $in: marked.map(({ id }) => id) }, step: { $in: marked.map(({ mark }) => mark) } },
    });
    const byMark = new Map(rows.map((row) => [row.step.toHexString(), row]));
    return marked.map(({ mark }, at) => failures.get(at) ?? byMark.get(mark.toHexString()) ?? null);
  }

  /** The steps of which nobody can say whether they happened, by their place. */
  async function writeAll(steps: readonly MarkedStep[]): Promise<ReadonlyMap<number, Error>> {
    const writes = steps.map(({ id, from, update, mark }) => ({
      updateOne: { filter: { ...from, _id: id }, update: [...update, { $set: { step: mark } }] },
    }));
    try {
      const posts = databaseOf(model).collection<Row>(model.collection.name);
      await posts.bulkWrite(writes as never, { ordered: false });
      return new Map();
    } catch (error) {
      const { result, writeErrors = [] } = error as Partial<mongoose.mongo.MongoBulkWriteError>;
      const refused = [writeErrors].flat();
      // Refused by the database, one by one. Anything else, as a lost answer or a majority that is silent, is about all.
      if (refused.length === 0 || result?.getWriteConcernError() !== undefined) throw error;
      return new Map(refused.map(({ index, errmsg }) => [index, new Error(errmsg)]));
    }
  }

  const loader = new DataLoader<Step, Row | null>(
    // One that never answers must not hold its place for ever.
    (steps) => within(ANSWERS_MS, "a command of steps", takeAll(steps)).finally(end),
    { cache: false, maxBatchSize: MOST_STEPS, batchScheduleFn: schedule },
  );
  return (step) => loader.load(step);
}

type Mark = InstanceType<typeof mongoose.mongo.ObjectId>;
type MarkedStep = Step & { readonly mark: Mark };
