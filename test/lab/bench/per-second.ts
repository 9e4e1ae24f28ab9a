const ROUNDS = 5;
const ROUND_MS = 120;

/** How often each function runs in a second: the best of several rounds, in turn, so that all meet the same machine. */
export function perSecond(functions: readonly (() => unknown)[]): number[] {
  const best = functions.map(() => 0);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, run] of functions.entries()) best[at] = Math.max(best[at] ?? 0, rate(run));
  }
  return best;
}

function rate(run: () => unknown): number {
  const start = performance.now();
  let runs = 0;
  let elapsed = 0;
  do {
    for (let more = runs < 100 ? 1 : 20; more > 0; more -= 1) run();
    runs += runs < 100 ? 1 : 20;
    elapsed = performance.now() - start;
  } while (elapsed < ROUND_MS);
  return (runs * 1000) / elapsed;
}
