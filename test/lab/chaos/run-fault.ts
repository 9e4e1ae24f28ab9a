import { until } from "../../real-parts/until.ts";
import { type Cluster, type ClusterOptions, startCluster } from "./cluster.ts";
import type { Control, Fault, Injected } from "./faults/fault.ts";
import { type Load, makeLoad } from "./load.ts";
import { type SeenMessage, type ToldOutcome, type Verdict, verdictOn } from "./verdict.ts";

/** What a fault did, and what became of the posts. */
export interface Row extends Verdict {
  readonly fault: string;
  /** The protection that was taken out; absent where all are there. */
  readonly without?: string;
  /** How many times it was injected. */
  readonly times: number;
  /** How many requests the receiver refused with 401, 403, 404 or 429. */
  readonly refused: number;
  /** What did not hold beside the counts. */
  readonly broken: readonly string[];
  /** Why there is nothing to judge: it could not be run. */
  readonly error?: string;
}

/** Making and planning the posts takes time; then the first is due. A machine that starts slowly plans slowly, too. */
const LEAD_MS = 4_000;
const LEAD_PER_POST_MS = 4;
const PATIENCE_MS = 30_000;
/** A cluster starts faster on a machine that is not busy; one that takes longer is waited for as much longer. */
const USUAL_START_MS = 10_000;
/** A look at every guild's history costs more than an instant. */
const LOOK_EVERY_MS = 2_000;

/** The fault in a cluster of its own; with a control, the protection that it names is not there. */
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

/** For who is told to end: no process is left behind. */
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

/** A load, the fault while it comes due, and the verdict when everything is settled. */
async function runIn(cluster: Cluster, fault: Fault, startedInMs: number): Promise<Row> {
  const { shape, leadMs = LEAD_MS + Math.round(startedInMs), patienceMs = PATIENCE_MS } = fault;
  const posts = shape.guilds * shape.announcements * shape.events;
  const load = await makeLoad(cluster, shape, leadMs + posts * LEAD_PER_POST_MS);
  await load.planned();
  if (Date.now() > load.firstDueAt) throw new Error("planned too late for the fault to meet the first post");
  const injected = await fault.inject(cluster, load);
  const settled = async () => (await outcomesOf(load)).length >= load.expected.length;
  const slowness = Math.max(1, startedInMs / USUAL_START_MS);
  const patience = load.lastDueAt + patienceMs * slowness - Date.now();
  await until(settled, "every post has its outcome", patience, LOOK_EVERY_MS).catch(() => undefined);
  return judge(cluster, fault, load, injected);
}

async function judge(cluster: Cluster, fault: Fault, load: Load, { times, latestMs }: Injected): Promise<Row> {
  const { name, mayEndUnsent = false, mostRefused = Infinity, check = () => [] } = fault;
  const { expected } = load;
  cluster.chat.calm();
  const seen = cluster.chat.messages().map(asSeen);
  const told = await finalOutcomes(load);
  const verdict = verdictOn(expected, seen, told);
  const refused = cluster.chat.requests.filter(({ status = 0 }) => REFUSALS.has(status)).length;
  const broken = [
    ...(verdict.worstMs > (latestMs ?? Infinity) ? [`later than ${Math.round(latestMs ?? 0)} ms`] : []),
    ...(told.length < expected.length ? [`${expected.length - told.length} without an outcome`] : []),
    ...(!mayEndUnsent && verdict.sent < verdict.due ? [`${verdict.due - verdict.sent} not sent`] : []),
    ...(refused > mostRefused ? [`more than ${mostRefused} refused`] : []),
    ...check({ cluster, expected, seen, told }),
  ];
  return { fault: name, times, ...verdict, refused, broken };
}

/** A busy service may take more than one question. */
async function finalOutcomes(load: Load): Promise<ToldOutcome[]> {
  let told: ToldOutcome[] = [];
  const isTold = async () => (told = await outcomesOf(load)).length > 0;
  await until(isTold, "what the history says", PATIENCE_MS, LOOK_EVERY_MS).catch(() => undefined);
  return told;
}

const REFUSALS = new Set([401, 403, 404, 429]);

/**
 * What a move has called off is planned anew: the outcome of its new round counts. Otherwise each post has one, and
 * the suspended ones are skipped.
 */
export async function outcomesOf(load: Load): Promise<ToldOutcome[]> {
  const told = await load.told().catch(() => []);
  const latest = new Map(told.toReversed().map((outcome) => [`${outcome.channel} ${outcome.eventId}`, outcome]));
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

/** Whether the promise was kept: each post once and not early, or a reason in its place, and all else that must hold. */
export function isKept({ doubled, lost, early, unexplained, broken }: Row): boolean {
  return doubled + lost + early + unexplained + broken.length === 0;
}
