import { once } from "node:events";
import { setPriority } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { guardsNamed } from "../mutations/guards.ts";
import { optionsWithout } from "../mutations/remove-guard.ts";
import { startProcess } from "./load-process.ts";
import type { Neighbour, NeighbourOutcome } from "./neighbour-process.ts";
import { DuePosts } from "./posts.ts";
import { MemoryWatch } from "./process-memory.ts";
import type { HostileRow, Stage } from "./row.ts";
import { newStage, OPERATOR_KEY, startTarget } from "./stage.ts";

/** The promises of every row (README.md). */
const MAX_SLOWDOWN = 5;
const MAX_P99_MS = 1_000;
const MAX_LATE_MS = 1_000;
const MAX_MEBIBYTES = 512;
const BACK_TO_NORMAL_MS = 10_000;

const WARM_UP_MS = 4_000;
const MAX_WARM_UPS = 15;
const BEFORE_MS = 20_000;
const POSTS_PER_SECOND = 1;
/** A lower p99 depends on timers and on the machine, and counts as this one. */
const MIN_P99_MS = 5;
const NEIGHBOUR_GUILD = "2002";

export interface RowOutcome {
  readonly row: string;
  readonly control?: string;
  /** The neighbour's p99 in milliseconds. */
  readonly before: number;
  readonly during: number;
  /** Seconds from the end of the attack until the neighbour is served as before; undefined for never. */
  readonly normalAfter: number | undefined;
  /** The latest of the neighbour's posts that came due during the attack, in milliseconds. */
  readonly latestPost: number;
  readonly largest: string;
  /** A sentence for each promise that was broken. */
  readonly broken: readonly string[];
}

/** Runs one row on a service of its own: the neighbour alone, beside the attack, and after it. */
export async function runRow(row: HostileRow, isControl: boolean): Promise<RowOutcome> {
  const nodeOptions = isControl ? optionsWithout(guardsNamed(row.control.without)) : "";
  const env = { ...row.settings, API_KEY: OPERATOR_KEY, ...(isControl ? { NODE_OPTIONS: nodeOptions } : {}) };
  const target = await (row.start ?? startTarget)(env);
  const stage = newStage(target);
  const client = startProcess("neighbour-process.ts");
  try {
    const key = await stage.createKey(NEIGHBOUR_GUILD);
    const measure = async (forMs: number): Promise<NeighbourOutcome> => {
      client.send({ port: target.port, guild: NEIGHBOUR_GUILD, key, forMs } satisfies Neighbour);
      return ((await once(client, "message")) as [NeighbourOutcome])[0];
    };
    await row.prepare?.(stage);
    const posts = new DuePosts(stage.post, OPERATOR_KEY);
    await posts.announce();
    await untilCalm(measure);
    const before = await measure(BEFORE_MS);
    const memory = new MemoryWatch(target.pids);
    const { during, lateness } = await attackedPhase(row, stage, posts, measure);
    const after = await measure(BACK_TO_NORMAL_MS + 2_000);
    const [largest = { name: "", mebibytes: 0 }] = await memory.end();
    const further = (await row.check?.(stage)) ?? [];
    const base = Math.max(MIN_P99_MS, p99Of(before.seconds));
    const normalAfter = secondsUntilNormal(after, base * MAX_SLOWDOWN);
    const figures = { before: p99Of(before.seconds), during: p99Of(during.seconds), normalAfter };
    const broken = [
      ...brokenBy(figures, base),
      ...(largest.mebibytes < MAX_MEBIBYTES ? [] : [`${largest.name} took ${largest.mebibytes} MiB`]),
      ...postsBroken(lateness),
      ...[before, during, after]
        .flatMap(({ failures }) => failures)
        .map((failure) => `the neighbour was refused: ${failure}`),
      ...further,
    ];
    const latestPost = typeof lateness === "string" ? Number.NaN : (lateness.at(-1) ?? 0);
    const control = isControl ? { control: row.control.name } : {};
    return { row: row.name, ...control, ...figures, latestPost, largest: sizeOf(largest), broken };
  } finally {
    if (client.connected) client.disconnect();
    stage.end();
    await target.stop();
  }
}

/** Measures until the p99 falls no further: after `prepare`, the service plans and reads what was stored. */
async function untilCalm(measure: Measure): Promise<void> {
  let former = Infinity;
  for (let time = 0; time < MAX_WARM_UPS; time += 1) {
    const p99 = p99Of((await measure(WARM_UP_MS)).seconds);
    if (p99 > former * 0.8 || p99 <= MIN_P99_MS) return;
    former = p99;
  }
}

type Measure = (forMs: number) => Promise<NeighbourOutcome>;

async function attackedPhase(
  row: HostileRow,
  stage: Stage,
  posts: DuePosts,
  measure: Measure,
): Promise<{ during: NeighbourOutcome; lateness: readonly number[] | string }> {
  const { postsAfterMs = 0 } = row;
  const overMs = row.attackMs - postsAfterMs;
  const from = await posts.plan((overMs / 1_000) * POSTS_PER_SECOND, overMs, postsAfterMs);
  await pause(Math.max(0, from - postsAfterMs - Date.now()));
  const over = new AbortController();
  yieldProcessor(true);
  const attack = row.attack(stage, over.signal);
  // The attack ends after the last response of the measurement, so that its end affects only the next measurement.
  const measured = measure(row.attackMs).finally(() => over.abort());
  const [during] = await Promise.all([measured, attack]).finally(() => yieldProcessor(false));
  const lateness = await posts.lateness(from, overMs).catch((error: unknown) => String(error));
  return { during, lateness };
}

/**
 * Lowers the priority of this process during the attack, so that it takes no processor time from the service and the
 * neighbour, like an attacker on another machine. Only root may restore the priority, which the service of the next row
 * would inherit.
 */
function yieldProcessor(isAttacking: boolean): void {
  if (process.getuid?.() === 0) setPriority(isAttacking ? 15 : 0);
}

function brokenBy({ during, normalAfter }: Pick<RowOutcome, "during" | "normalAfter">, base: number): string[] {
  return [
    ...(during <= base * MAX_SLOWDOWN ? [] : [`the neighbour's p99 was ${(during / base).toFixed(1)} times as long`]),
    ...(during < MAX_P99_MS ? [] : [`the neighbour's p99 was ${during.toFixed(0)} ms`]),
    ...(normalAfter !== undefined ? [] : [`not back to normal within ${BACK_TO_NORMAL_MS / 1_000} s`]),
  ];
}

function postsBroken(lateness: readonly number[] | string): string[] {
  if (typeof lateness === "string") return [`the neighbour's posts: ${lateness}`];
  return lateness
    .filter((late) => late < 0 || late >= MAX_LATE_MS)
    .slice(0, 3)
    .map((late) => `a post of the neighbour was ${late} ms late`);
}

/** The first second from which two consecutive seconds have a normal p99. */
function secondsUntilNormal({ seconds }: NeighbourOutcome, maxMs: number): number | undefined {
  const isNormal = (at: number) => p99Of(seconds.slice(at, at + 2)) <= maxMs;
  const found = seconds.findIndex((_, at) => at + 1 < seconds.length && isNormal(at));
  return found === -1 || found > BACK_TO_NORMAL_MS / 1_000 ? undefined : found;
}

function p99Of(seconds: NeighbourOutcome["seconds"]): number {
  const sorted = seconds.flat().toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Infinity;
}

function sizeOf({ name, mebibytes }: { readonly name: string; readonly mebibytes: number }): string {
  return `${mebibytes} MiB (${name})`;
}
