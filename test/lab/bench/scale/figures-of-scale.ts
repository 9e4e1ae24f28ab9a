import { median } from "../requests/figures.ts";
import type { Phase } from "./dispatch-run.ts";
import type { Costs } from "./request-costs.ts";
import type { CollectionBytes } from "./scale-database.ts";

/** Prints the bytes per guild of each collection and index, and their sum. */
export function printBytes(what: string, sizes: readonly CollectionBytes[], guilds: number): void {
  const perGuild = (bytes: number) => (bytes / guilds).toFixed(0);
  let total = 0;
  for (const { name, rows, data, indexes } of sizes) {
    const sorted = Object.entries(indexes).toSorted(([, one], [, other]) => other - one);
    const inIndexes = sorted.reduce((sum, [, bytes]) => sum + bytes, 0);
    total += data + inIndexes;
    const listed = sorted.map(([index, bytes]) => `${index} ${perGuild(bytes)}`).join(", ");
    print(`  ${name}, ${rows} rows`, `${perGuild(data)} bytes of data, ${perGuild(inIndexes)} of indexes (${listed})`);
  }
  print(`${what}: bytes per guild`, perGuild(total));
}

/** Prints the medians of each request for two subjects. Returns the ratio of their lists. */
export function printCosts(what: string, costs: Costs, names: readonly string[]): number {
  const ratios = Object.entries(costs).map(([request, of]) => {
    const rounds = of as readonly (readonly number[])[];
    const medians = rounds.map((each) => median(each));
    const [small = Number.NaN, large = small] = medians;
    const texts = names.map((name, at) => `${name} ${medians[at]?.toFixed(2)} ms`).join(", ");
    print(`${request}, ${what}`, `${(large / small).toFixed(2)} (${texts})`);
    return [request, large / small] as const;
  });
  return new Map(ratios).get("list") ?? Number.NaN;
}

export function printPhase(name: string, phase: Phase, unit: string): void {
  const { seconds, isComplete, total, done, dispatchMs, ownersMs, databaseMs, busBytes, peakMiB } = phase;
  const per = (ms: number) => (ms / Math.max(1, done)).toFixed(2);
  const how = `${done} of ${total} in ${seconds.toFixed(1)} s${isComplete ? "" : ", then stopped"}`;
  const cpu = `CPU for each ${unit}: dispatch ${per(dispatchMs)} ms, owners ${per(ownersMs)} ms, MongoDB ${per(databaseMs)} ms; NATS ${(busBytes / Math.max(1, done) / 1_024).toFixed(1)} KiB`;
  const memory = `largest memory of dispatch ${peakMiB.toFixed(0)} MiB`;
  print(name, `${how} (${(done / seconds).toFixed(1)} a second); ${cpu}; ${memory}`);
}

export function print(what: string, value: string): void {
  process.stdout.write(`${what}: ${value}\n`);
}
