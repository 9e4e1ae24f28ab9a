import { type Cluster, REPLICAS } from "./cluster.ts";
import type { Fault } from "./faults.ts";
import { type Load, makeLoad } from "./load.ts";
import { type SeenMessage, type ToldOutcome, type Verdict, verdictOn } from "./verdict.ts";
import { until } from "../real-parts/until.ts";

/** What a fault did, and what became of the posts. */
export interface Row extends Verdict {
  readonly fault: string;
  /** How many times it was injected. */
  readonly times: number;
}

/** Making and planning the posts takes time; then the first is due. */
const LEAD_MS = 4_000;
const LEAD_PER_POST_MS = 4;
/** From the last due instant until every post has its outcome. */
const PATIENCE_MS = 100_000;

/** Two replicas, a load, the fault while it comes due, and the verdict when everything is settled. */
export async function runFault(
  cluster: Cluster,
  { name, shape, inject, isDeaf = false, leadMs = LEAD_MS }: Fault,
): Promise<Row> {
  await Promise.all(REPLICAS.map((replica) => cluster.raise(replica, isDeaf)));
  const posts = shape.guilds * shape.announcements * shape.events;
  const load = await makeLoad(cluster, shape, leadMs + posts * LEAD_PER_POST_MS);
  await load.planned();
  const times = await inject(cluster, load);
  const settled = async () => (await outcomesOf(load)).length >= load.expected.length;
  await until(settled, "every post has its outcome", load.lastDueAt + PATIENCE_MS - Date.now()).catch(() => undefined);
  cluster.chat.calm();
  const channels = new Set(load.expected.map(({ channel }) => channel));
  const seen = cluster.chat.messages().filter(({ channel }) => channels.has(channel));
  return { fault: name, times, ...verdictOn(load.expected, seen.map(asSeen), await outcomesOf(load)) };
}

/** What a move has called off is planned anew: the outcome of its new round counts. */
export async function outcomesOf(load: Load): Promise<ToldOutcome[]> {
  const told = await load.told().catch(() => []);
  return told.filter(({ state }) => state !== "cancelled" && state !== "skipped");
}

export function asSeen({
  channel,
  embeds,
  receivedAt,
}: {
  readonly channel: string;
  readonly embeds: readonly unknown[];
  readonly receivedAt: number;
}): SeenMessage {
  const { title = "" } = (embeds[0] ?? {}) as { title?: string };
  return { channel, title, receivedAt };
}

/** Whether the promise was kept: each post once and not early, or a reason in its place. */
export function isKept({ doubled, lost, early }: Verdict): boolean {
  return doubled + lost + early === 0;
}
