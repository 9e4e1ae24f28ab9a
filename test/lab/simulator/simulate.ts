import { availableParallelism } from "node:os";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { readOptions } from "../options.ts";
import { MUTANTS } from "./mutants.ts";
import { simulate } from "./simulation.ts";

/*
 * npm run simulate -- --seed N        prints the events of one run
 * npm run simulate -- --runs N        N runs, from --from (1) on, on all cores
 * npm run simulate -- --mutants N     searches a seed that catches each mutant, in at most N runs
 */

interface Share {
  readonly from: number;
  readonly runs: number;
  readonly step: number;
}

/** The outcome of several runs. */
interface Tally {
  readonly bad: number;
  readonly states: Readonly<Record<string, number>>;
}

/** Prints a bad run at once, since many runs take an hour and may be interrupted. */
async function runShare({ from, runs, step }: Share): Promise<Tally> {
  let bad = 0;
  const states: Record<string, number> = {};
  for (let seed = from; seed < from + runs; seed += step) {
    const { violations, posts } = await simulate(seed);
    if (violations.length > 0) {
      bad += 1;
      console.log(`seed ${seed}: ${violations.join("; ")}`);
    }
    for (const { state } of posts) states[state] = (states[state] ?? 0) + 1;
  }
  return { bad, states };
}

function inWorker(share: Share): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: share });
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

async function manyRuns(from: number, runs: number): Promise<void> {
  const step = availableParallelism();
  const began = performance.now();
  const tallies = await Promise.all(
    Array.from({ length: step }, (_, at) => inWorker({ from: from + at, runs: runs - at, step })),
  );
  const states: Record<string, number> = {};
  for (const tally of tallies) {
    for (const [state, count] of Object.entries(tally.states)) states[state] = (states[state] ?? 0) + count;
  }
  const bad = tallies.reduce((sum, tally) => sum + tally.bad, 0);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${runs} runs from seed ${from} in ${seconds} s: ${bad} bad. Posts: ${JSON.stringify(states)}`);
  process.exitCode = bad === 0 ? 0 : 1;
}

async function oneRun(seed: number): Promise<void> {
  const { scenario, eventLog, violations } = await simulate(seed);
  console.log(JSON.stringify(scenario, undefined, 2));
  for (const line of eventLog()) console.log(line);
  for (const violation of violations) console.log(`BROKEN: ${violation}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

async function findCatchingSeeds(maxRuns: number): Promise<void> {
  for (const [name, mutant] of Object.entries(MUTANTS)) {
    let seed = 1;
    let [found] = (await simulate(seed, mutant)).violations;
    while (found === undefined && seed < maxRuns) [found] = (await simulate((seed += 1), mutant)).violations;
    console.log(
      found === undefined ? `NOT CAUGHT in ${maxRuns} runs: ${name}` : `caught by seed ${seed}: ${name} (${found})`,
    );
    if (found === undefined) process.exitCode = 1;
  }
}

if (isMainThread) {
  const { seed, runs, from, mutants } = readOptions({ seed: Number, runs: 1_000, from: 1, mutants: Number });
  if (seed !== undefined) await oneRun(seed);
  else if (mutants !== undefined) await findCatchingSeeds(mutants);
  else await manyRuns(from, runs);
} else {
  // A port to the parent thread, not to a window.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage(await runShare(workerData as Share));
}
