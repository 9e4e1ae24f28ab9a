import { makeLoad } from "../chaos/load.ts";
import { asSeen, outcomesOf } from "../chaos/run-fault.ts";
import { type Verdict, verdictOn } from "../chaos/verdict.ts";
import { until } from "../../real-parts/until.ts";
import { newClient } from "./client.ts";
import { API_KEY, type Installation, type MongoServers } from "./installation.ts";
import { startMixedLoad } from "./mixed-load.ts";
import type { WritesVerdict } from "./promised-writes.ts";
import type { Tally } from "./tally.ts";
import type { Trial } from "./trials.ts";

/** What a trial did, what its clients met, and what became of their writes and of the posts. */
export interface TrialRow {
  readonly trial: string;
  readonly times: number;
  readonly tally: Tally;
  readonly failed: readonly string[];
  readonly writes: WritesVerdict;
  /** Reads that did not show what had been answered before. */
  readonly unseen: number;
  readonly posts: Verdict;
  readonly overstayed: number;
  readonly isKept: boolean;
}

const CLIENTS = 6;
const POST_EVERY_MS = 500;
const GUILDS = 4;
const ANNOUNCEMENTS = 2;
const LEAD_MS = 20_000;
/** From the last due instant until every post has its outcome. */
const PATIENCE_MS = 60_000;

/**
 * Posts come due and requests come in, all the while that it happens and until it is over. `quiet` is what clients met
 * on this machine when nothing happened.
 */
export async function runTrial<Database extends MongoServers>(
  installation: Installation<Database>,
  { name, aboutMs, inject, mayHappen }: Trial<Database>,
  quiet?: Tally,
): Promise<TrialRow> {
  const posts = await startPosts(installation, aboutMs);
  const client = newClient(installation.baseUrl, API_KEY);
  const load = startMixedLoad(client, CLIENTS);
  const before = installation.overstayed;
  const times = await inject(installation, () => client.tally().requests);
  await load.stop();
  const tally = client.tally();
  const outcome = {
    trial: name,
    times,
    tally,
    failed: client.failed(),
    unseen: load.unseen,
    overstayed: installation.overstayed - before,
    writes: await load.verdict(),
    posts: await posts.verdict(),
  };
  return { ...outcome, isKept: isWhole(outcome) && mayHappen(tally, quiet ?? tally) };
}

/** What holds whatever happens. */
function isWhole({ unseen, overstayed, writes, posts }: Omit<TrialRow, "isKept">): boolean {
  const { lostWrites, doubledWrites } = writes;
  return unseen + overstayed + lostWrites + doubledWrites + posts.doubled + posts.lost + posts.early === 0;
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
