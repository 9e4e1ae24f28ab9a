import DataLoader from "dataloader";
import { NoAnswerInTime } from "./bounded-answers.ts";
import { runInSession } from "./kept-sessions.ts";
import { databaseOf, type Readable } from "./short-reads.ts";

/** More than this in one command are two: the last sees the same `$$NOW` as the first. */
const MOST = 100;
/** Commands under way at once. What comes while they are goes together into the next. */
const AT_ONCE = 2;

/**
 * Gathers what is asked for at about the same time, and does it together. Nobody waits for more to come, unless a
 * gathering time is set; under load what comes while two are under way is the next.
 *
 * By the library `dataloader`, which gathers, splits and hands out; its cache is off.
 *
 * @param work - Does all of it; answers for each, in their order, what came of it, or why nothing did. It has to settle:
 * until then it holds one of two places.
 * @param gatherMs - How long the first waits for more.
 */
export function together<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
  gatherMs = 0,
): (item: Item) => Promise<Result> {
  /** What may begin once another has ended, in the order of its coming. */
  const waiting: (() => void)[] = [];
  let free = AT_ONCE;

  /** What the same poll of the sockets brought in, and all that comes until it may begin, goes together. */
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

  const loader = new DataLoader<Item, Result>((items) => work(items).finally(end), {
    cache: false,
    maxBatchSize: MOST,
    batchScheduleFn: schedule,
  });
  return (item) => loader.load(item);
}

/** One update of one row, as MongoDB's command `update` takes it. */
export interface UpdateStatement {
  readonly q: object;
  readonly u: object;
  readonly upsert?: boolean;
}

interface Updated {
  /** How many rows were as they had to be, or were inserted. */
  readonly n: number;
  /** What was inserted, by its place. */
  readonly inserted: ReadonlySet<number>;
  /** What the database refused, by its place. */
  readonly refused: ReadonlyMap<number, RefusedUpdate>;
}

interface RefusedUpdate {
  readonly index: number;
  readonly code: number;
  readonly errmsg: string;
}

/**
 * Makes many updates in one command, none of which keeps another from happening; what is answered is on a majority's
 * journals. Where it rejects, each may have happened or not.
 *
 * A command of its own: the driver's bulk writes measure each statement before they encode it, and have the database keep a
 * record of each, by which the driver could try again once; whoever calls this knows by himself what was done.
 */
export async function updateTogether(model: Readable, updates: readonly UpdateStatement[]): Promise<Updated> {
  const command = { update: model.collection.name, updates, ordered: false, writeConcern: { w: "majority", j: true } };
  const {
    n,
    upserted = [],
    writeErrors = [],
    writeConcernError,
  } = (await runInSession(databaseOf(model), command)) as UpdateReply;
  if (writeConcernError !== undefined) throw new NoAnswerInTime(`no majority: ${writeConcernError.errmsg}`);
  return {
    n,
    inserted: new Set(upserted.map(({ index }) => index)),
    refused: new Map(writeErrors.map((refused) => [refused.index, refused])),
  };
}

interface UpdateReply {
  readonly n: number;
  readonly upserted?: readonly { readonly index: number }[];
  readonly writeErrors?: readonly RefusedUpdate[];
  readonly writeConcernError?: { readonly errmsg: string };
}
