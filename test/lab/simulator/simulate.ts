import { availableParallelism } from "node:os";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { readOptions } from "../options.ts";
import { MUTANTS } from "./mutants.ts";
import { simulate } from "./simulation.ts";

/*
 * npm run simulate -- --seed N        tells the story of one run
 * npm run simulate -- --runs N        N runs, from --from (1) on, on all cores
 * npm run simulate -- --mutants N     looks for each mutant until it is caught, in at most N runs
 */

interface Share {
  readonly from: number;
  readonly runs: number;
  readonly step: number;
}

/** What some runs came to. */
interface Tally {
  readonly bad: number;
  readonly states: Readonly<Record<string, number>>;
}

/** Tells of a bad run at once: many runs take an hour, and may be ended before. */
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
  const { scenario, story, violations } = await simulate(seed);
  console.log(JSON.stringify(scenario, undefined, 2));
  for (const line of story()) console.log(line);
  for (const violation of violations) console.log(`BROKEN: ${violation}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

async function huntMutants(most: number): Promise<void> {
  for (const [name, mutant] of Object.entries(MUTANTS)) {
    let seed = 1;
    let [found] = (await simulate(seed, mutant)).violations;
    while (found === undefined && seed < most) [found] = (await simulate((seed += 1), mutant)).violations;
    console.log(
      found === undefined ? `NOT CAUGHT in ${most} runs: ${name}` : `caught by seed ${seed}: ${name} (${found})`,
    );
    if (found === undefined) process.exitCode = 1;
  }
}

if (isMainThread) {
  const { seed, runs, from, mutants } = readOptions({ seed: Number, runs: 1_000, from: 1, mutants: Number });
  if (seed !== undefined) await oneRun(seed);
  else if (mutants !== undefined) await huntMutants(mutants);
  else await manyRuns(from, runs);
} else {
  // A port to the parent thread, not to a window.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage(await runShare(workerData as Share));
}
