import { type Manifest } from "./kustomization.ts";
import { workloads } from "./overlays.ts";

/** Options that name files of a pod, or that a test sets for its own members. Those with `true` have a value. */
const OF_A_POD: ReadonlyMap<string, boolean> = new Map([
  ["--replSet", true],
  ["--keyFile", true],
  ["--bind_ip_all", false],
]);

/** The commands of the containers that run a program of MongoDB. */
export function commandsOf(manifests: readonly Manifest[], program: "mongod" | "mongos"): string[][] {
  const containers = workloads(manifests).flatMap((workload) => workload.containers);
  return containers.flatMap(({ command = [] }) => (command[0] === program ? [command] : []));
}

/** The options of a command, without those that only a pod can have. */
export function localOptions([, ...words]: readonly string[]): string[] {
  return words.filter((word, at) => !OF_A_POD.has(word) && OF_A_POD.get(words[at - 1] ?? "") !== true);
}
