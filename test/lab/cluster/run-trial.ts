import { makeLoad } from "../chaos/load.ts";
import { asSeen, outcomesOf } from "../chaos/run-fault.ts";
import { type Verdict, verdictOn } from "../chaos/verdict.ts";
import { until } from "../../harness/until.ts";
import { newClient } from "./client.ts";
import { API_KEY, type Installation, type MongoServers } from "./installation.ts";
import { startMixedLoad } from "./mixed-load.ts";
import type { WritesVerdict } from "./promised-writes.ts";
import type { Tally } from "./tally.ts";
import type { Trial } from "./trials.ts";

/** The outcome of a trial: its requests, writes and posts. */
export interface TrialRow {
  readonly trial: string;
  readonly times: number;
  readonly tally: Tally;
  readonly disturbed: readonly string[];
  readonly writes: WritesVerdict;
  /** Number of reads that did not show an earlier write. */
  readonly staleReads: number;
  readonly posts: Verdict;
  readonly killedAfterGrace: number;
  readonly isKept: boolean;
}

const CLIENTS = 6;
const POST_EVERY_MS = 500;
const GUILDS = 4;
const ANNOUNCEMENTS = 2;
const LEAD_MS = 20_000;
/** Time from the last due instant until every post has its outcome. */
const PATIENCE_MS = 60_000;

/**
 * Runs a trial while posts come due and clients send requests. `quiet` has the counts of the trial without a fault on this
 * machine.
 */
export async function runTrial<Database extends MongoServers>(
  installation: Installation<Database>,
  { name, aboutMs, inject, isAcceptable }: Trial<Database>,
  quiet?: Tally,
): Promise<TrialRow> {
  const posts = await startPosts(installation, aboutMs);
  const client = newClient(installation.baseUrl, API_KEY);
  const load = startMixedLoad(client, CLIENTS);
  const before = installation.killedAfterGrace;
  const times = await inject(installation, () => client.tally().requests);
  await load.stop();
  const tally = client.tally();
  const outcome = {
    trial: name,
    times,
    tally,
    disturbed: client.disturbed(),
    staleReads: load.staleReads,
    killedAfterGrace: installation.killedAfterGrace - before,
    writes: await load.verdict(),
    posts: await posts.verdict(),
  };
  return { ...outcome, isKept: keepsPromises(outcome) && isAcceptable(tally, quiet ?? tally, outcome.posts) };
}

/** Whether the promises that every trial must keep were kept. */
function keepsPromises({ staleReads, killedAfterGrace, writes, posts }: Omit<TrialRow, "isKept">): boolean {
  const { lostWrites, doubledWrites } = writes;
  return staleReads + killedAfterGrace + lostWrites + doubledWrites + posts.doubled + posts.lost + posts.early === 0;
}

/** Posts that come due at a steady pace for as long as the trial takes. */
async function startPosts(
  installation: Installation<MongoServers>,
  spreadMs: number,
): Promise<{ verdict(): Promise<Verdict> }> {
  const events = Math.ceil(spreadMs / POST_EVERY_MS / GUILDS / ANNOUNCEMENTS);
  const shape = { guilds: GUILDS, announcements: ANNOUNCEMENTS, events, spreadMs };
  const load = await makeLoad(installation, shape, LEAD_MS);
  await load.planned();
  return {
    async verdict() {
      const settled = async () => (await outcomesOf(load)).length >= load.expected.length;
      const patience = load.lastDueAt + PATIENCE_MS - Date.now();
      await until(settled, "every post has its outcome", patience).catch(() => undefined);
      const channels = new Set(load.expected.map(({ channel }) => channel));
      const seen = installation.chat.messages().filter(({ channel }) => channels.has(channel));
      return verdictOn(load.expected, seen.map(asSeen), await outcomesOf(load));
    },
  };
}
