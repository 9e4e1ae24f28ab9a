import { OperationTimeout } from "../async/timeout.ts";
import { runInSession } from "./kept-sessions.ts";
import { databaseOf, type Readable } from "./short-reads.ts";

/** What is answered is on the journals of a majority. */
const ON_A_MAJORITY = { w: "majority", j: true } as const;

/** One update of one row, as MongoDB's command `update` takes it. */
export interface UpdateStatement {
  readonly q: object;
  readonly u: object;
  readonly upsert?: boolean;
}

interface Updated {
  /** How many rows were as they had to be, or were inserted. */
  readonly n: number;
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
  const command = { update: model.collection.name, updates, ordered: false, writeConcern: ON_A_MAJORITY };
  const reply = (await runInSession(databaseOf(model), command)) as UpdateReply;
  const { n, writeErrors = [] } = reply;
  needMajority(reply);
  return { n, refused: new Map(writeErrors.map((refused) => [refused.index, refused])) };
}

/** What a command's reply says of its write concern. */
interface Concerned {
  readonly writeConcernError?: { readonly errmsg: string };
}

/** Throws where a majority did not say that it has what was written. */
function needMajority({ writeConcernError }: Concerned): void {
  if (writeConcernError !== undefined) throw new OperationTimeout(`no majority: ${writeConcernError.errmsg}`);
}

interface UpdateReply extends Concerned {
  readonly n: number;
  readonly writeErrors?: readonly RefusedUpdate[];
}
