import DataLoader from "dataloader";
import mongoose from "mongoose";
import { within } from "../../mixins/bounded-answers.ts";
import { databaseOf, type Readable, readRows } from "../../mixins/short-reads.ts";

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

/** More steps than this are two commands: the last of one sees the same "now" as the first. */
const MOST_STEPS = 100;
/** Commands under way at once. What comes while they are goes together into the next. */
const AT_ONCE = 2;
const ANSWERS_MS = 5_000;

/**
 * Takes steps of many rows in one command: waiting for the majority's journal, and the command itself, cost more than a
 * row. Resolves to the row as the step left it ("done" where that is known), or null when the row was not as it had to be.
 * Each step is atomic, and durable once it is answered; one that rejects may have happened or not, and does not keep the
 * others from happening.
 *
 * @param gatherMs - How long a command waits for more steps before it goes.
 *
 * By the library `dataloader`, which gathers, splits and hands out; its cache is off.
 */
export function stepsTogether<Row extends { readonly _id: string }>(
  model: Readable,
  gatherMs = 0,
): (step: Step) => Promise<Row | "done" | null> {
  /** What may begin once a command has ended, in the order of its coming. */
  const waiting: (() => void)[] = [];
  let free = AT_ONCE;

  /** What the same poll of the sockets brought in, and all that comes until a command may begin, goes together. */
  function schedule(dispatch: () => void): void {
    if (free === 0) return void waiting.push(dispatch);
    free -= 1;
    if (gatherMs > 0) setTimeout(dispatch, gatherMs);
    else setImmediate(dispatch);
  }

  function end(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  /** Every step leaves a mark of its own, by which its maker knows it again. */
  async function takeAll(steps: readonly Step[]): Promise<(Row | "done" | Error | null)[]> {
    const marked = steps.map((step) => ({ ...step, mark: new mongoose.mongo.ObjectId() }));
    const { taken, failures } = await writeAll(marked);
    const allTaken = taken === marked.length;
    const rows = await readMarked(allTaken ? marked.filter(({ isKnown }) => isKnown !== true) : marked);
    return marked.map(({ mark, isKnown }, at) => {
      if (allTaken && isKnown === true) return "done";
      return failures.get(at) ?? rows.get(mark.toHexString()) ?? null;
    });
  }

  async function readMarked(steps: readonly MarkedStep[]): Promise<ReadonlyMap<string, Row>> {
    if (steps.length === 0) return new Map();
    const filter = { _id: { $in: steps.map(({ id }) => id) }, step: { $in: steps.map(({ mark }) => mark) } };
    const rows = await readRows<Row & { readonly step: Mark }>(model, { filter });
    return new Map(rows.map((row) => [row.step.toHexString(), row]));
  }

  /**
   * How many happened, and those that the database refused, by their place. As a command of its own: the driver's bulk
   * writes measure each statement before they encode it, and have the database keep a record of each for a retry, which
   * whoever wants a step does by himself.
   */
  async function writeAll(steps: readonly MarkedStep[]): Promise<Written> {
    const updates = steps.map(({ id, from, change, mark }) => ({ q: { ...from, _id: id }, u: updateOf(change, mark) }));
    const command = {
      update: model.collection.name,
      updates,
      ordered: false,
      writeConcern: { w: "majority", j: true },
    };
    const { n, writeErrors = [], writeConcernError } = (await databaseOf(model).command(command)) as UpdateReply;
    // The majority is silent: nobody knows of any of them.
    if (writeConcernError !== undefined) throw new mongoose.mongo.MongoServerError(writeConcernError);
    return { taken: n, failures: new Map(writeErrors.map(({ index, errmsg }) => [index, new Error(errmsg)])) };
  }

  const loader = new DataLoader<Step, Row | "done" | null>(
    // One that never answers must not hold its place for ever.
    (steps) => within(ANSWERS_MS, "a command of steps", takeAll(steps)).finally(end),
    { cache: false, maxBatchSize: MOST_STEPS, batchScheduleFn: schedule },
  );
  return (step) => loader.load(step);
}

type Mark = InstanceType<typeof mongoose.mongo.ObjectId>;
type MarkedStep = Step & { readonly mark: Mark };

interface Written {
  readonly taken: number;
  readonly failures: ReadonlyMap<number, Error>;
}

/** As MongoDB's command `update` answers; `n` counts the rows that were as they had to be. */
interface UpdateReply {
  readonly n: number;
  readonly writeErrors?: readonly { readonly index: number; readonly errmsg: string }[];
  readonly writeConcernError?: mongoose.mongo.ErrorDescription;
}

/** As MongoDB takes it, and with the mark. */
function updateOf(change: Change, step: Mark): object {
  if ("computed" in change) return [{ $set: { ...change.computed, step } }];
  const unset = Object.fromEntries(change.unset.map((name) => [name, ""]));
  return { $set: { ...change.set, step }, ...(change.unset.length > 0 && { $unset: unset }) };
}
