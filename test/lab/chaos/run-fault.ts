import { until } from "../../harness/until.ts";
import { type Cluster, type ClusterOptions, startCluster } from "./cluster.ts";
import type { Control, Fault, Injected } from "./faults/fault.ts";
import { type Load, makeLoad } from "./load.ts";
import { type PostOutcome, type SeenMessage, type Verdict, verdictOn } from "./verdict.ts";

/** The outcome of a run: the fault, and the counts of posts. */
export interface Row extends Verdict {
  readonly fault: string;
  /** The guards that the control removed; absent with all guards in place. */
  readonly without?: string;
  /** How many times the fault was injected. */
  readonly times: number;
  /** Number of requests that the receiver refused with 401, 403, 404 or 429. */
  readonly refused: number;
  /** A sentence for each further promise that was broken. */
  readonly broken: readonly string[];
  /** Why the row could not be run. */
  readonly error?: string;
}

/** Time for creating and planning the posts before the first is due; a slow start of the cluster adds to it. */
const LEAD_MS = 4_000;
const LEAD_PER_POST_MS = 4;
const PATIENCE_MS = 30_000;
/** Start of a cluster on an idle machine. A slower start multiplies the patience. */
const USUAL_START_MS = 10_000;
/** Interval of reads of all guilds' histories, which take a while. */
const POLL_MS = 2_000;

/** Runs a fault in a cluster of its own; with a control, without the guards that it names. */
export async function runFault(fault: Fault, control?: Control): Promise<Row> {
  const setup: ClusterOptions = { ...fault.setup, ...control?.setup };
  const row = await inCluster(setup, (cluster, startedInMs) => runIn(cluster, fault, startedInMs)).catch(
    (error: unknown) => notRun(fault, String(error)),
  );
  return control === undefined ? row : { ...row, without: control.name };
}

function notRun({ name }: Fault, error: string): Row {
  return { fault: name, times: 0, ...verdictOn([], [], []), refused: 0, broken: [], error };
}

const running = new Set<Cluster>();

/** Stops all clusters, so that a signal leaves no process behind. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map((cluster) => cluster.stop()));
}

async function inCluster(
  setup: ClusterOptions,
  work: (cluster: Cluster, startedInMs: number) => Promise<Row>,
): Promise<Row> {
  const beganAt = performance.now();
  const cluster = await startCluster(setup);
  running.add(cluster);
  try {
    return await work(cluster, performance.now() - beganAt);
  } finally {
    running.delete(cluster);
    await cluster.stop();
  }
}

/** Creates the load, injects the fault while posts come due, and judges when every post is settled. */
async function runIn(cluster: Cluster, fault: Fault, startedInMs: number): Promise<Row> {
  const { shape, leadMs = LEAD_MS + Math.round(startedInMs), patienceMs = PATIENCE_MS } = fault;
  const posts = shape.guilds * shape.announcements * shape.events;
  const load = await makeLoad(cluster, shape, leadMs + posts * LEAD_PER_POST_MS);
  await load.planned();
  if (Date.now() > load.firstDueAt) throw new Error("planned too late for the fault to meet the first post");
  const injected = await fault.inject(cluster, load);
  const isSettled = async () => (await outcomesOf(load)).length >= load.expected.length;
  const slowness = Math.max(1, startedInMs / USUAL_START_MS);
  const patience = load.lastDueAt + patienceMs * slowness - Date.now();
  await until(isSettled, "every post has its outcome", patience, POLL_MS).catch(() => undefined);
  return judge(cluster, fault, load, injected);
}

async function judge(cluster: Cluster, fault: Fault, load: Load, { times, latestMs }: Injected): Promise<Row> {
  const { name, mayEndUnsent = false, maxRefused = Infinity, check = () => [] } = fault;
  const { expected } = load;
  cluster.chat.calm();
  const seen = cluster.chat.messages().map(asSeen);
  const outcomes = await finalOutcomes(load);
  const verdict = verdictOn(expected, seen, outcomes);
  const refused = cluster.chat.requests.filter(({ status = 0 }) => REFUSALS.has(status)).length;
  const broken = [
    ...(verdict.worstMs > (latestMs ?? Infinity) ? [`later than ${Math.round(latestMs ?? 0)} ms`] : []),
    ...(outcomes.length < expected.length ? [`${expected.length - outcomes.length} without an outcome`] : []),
    ...(!mayEndUnsent && verdict.sent < verdict.due ? [`${verdict.due - verdict.sent} not sent`] : []),
    ...(refused > maxRefused ? [`more than ${maxRefused} refused`] : []),
    ...check({ cluster, expected, seen, outcomes }),
  ];
  return { fault: name, times, ...verdict, refused, broken };
}

/** Reads the outcomes again until there are some: a busy service may fail to respond. */
async function finalOutcomes(load: Load): Promise<PostOutcome[]> {
  let outcomes: PostOutcome[] = [];
  const isRead = async () => (outcomes = await outcomesOf(load)).length > 0;
  await until(isRead, "the history of posts", PATIENCE_MS, POLL_MS).catch(() => undefined);
  return outcomes;
}

const REFUSALS = new Set([401, 403, 404, 429]);

/**
 * The latest outcome of each post. A post that a move has cancelled is planned again, so cancelled outcomes do not count.
 */
export async function outcomesOf(load: Load): Promise<PostOutcome[]> {
  const history = await load.history().catch(() => []);
  const latest = new Map(history.toReversed().map((outcome) => [`${outcome.channel} ${outcome.eventId}`, outcome]));
  return [...latest.values()].filter(({ state }) => state !== "cancelled");
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

/** Whether each post was sent once and not early, or has a reason instead, and every further promise was kept. */
export function promisesHeld({ doubled, lost, early, unexplained, broken }: Row): boolean {
  return doubled + lost + early + unexplained + broken.length === 0;
}
