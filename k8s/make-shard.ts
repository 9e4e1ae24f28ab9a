import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { argv, stderr, stdout } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Document, parseAllDocuments } from "yaml";

// Writes the manifests of a replica set of a sharded cluster from those of components/mongodb:
//   node k8s/make-shard.ts mongodb-shard-2 >k8s/components/sharded-mongodb/shard-2.yaml

/** The replica set of the configuration servers. */
export const CONFIG_SET = "mongodb-config";
const TEMPLATE = join(dirname(fileURLToPath(import.meta.url)), "components/mongodb/mongodb.yaml");
/** The name of the StatefulSet of the template. */
export const TEMPLATE_NAME = "mongodb";
const TEMPLATE_SET = "guildcal";
const MEMBERS = 3;
const PORT = 27_017;
/** Scripts are literal blocks: kubectl adds empty lines to folded ones. */
const LITERAL = { blockQuote: "literal" } as const;
/** All sets have the ServiceAccount of the template. */
const KINDS = new Set<unknown>(["StatefulSet", "Service", "PodDisruptionBudget"]);

/** `host:port` of the members, separated by commas. */
export function membersOf(set: string): string {
  return Array.from({ length: MEMBERS }, (_, at) => `${set}-${at}.${set}:${PORT}`).join(",");
}

/** The manifests of a replica set, as YAML. */
export function shardManifests(set: string): string {
  const made = readManifests(TEMPLATE).filter((manifest) => KINDS.has((manifest as { kind?: unknown }).kind));
  const manifests = made.map((manifest) => ofSet(set, manifest));
  return `# Written by: node k8s/make-shard.ts ${set}\n${asYaml(manifests)}`;
}

export function readManifests(path: string): object[] {
  return parseAllDocuments(readFileSync(path, "utf8")).map((document) => document.toJS() as object);
}

export function asYaml(manifests: readonly unknown[]): string {
  const documents = manifests.map((manifest) => new Document(manifest, { aliasDuplicateObjects: false }));
  return documents.map((document) => document.toString(LITERAL)).join("---\n");
}

/** Copies a value of the template, with the name of the set in place of the template's. */
function ofSet(set: string, value: unknown, key = ""): unknown {
  if (Array.isArray(value)) {
    return key === "command" && value[0] === "mongod"
      ? mongodOf(set, value as string[])
      : value.map((item) => ofSet(set, item));
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, item]): [string, unknown] => {
    const isName =
      name === "app.kubernetes.io/name" || name === "serviceName" || (name === "name" && key === "metadata");
    if (isName && item === TEMPLATE_NAME) return [name, set];
    if (name === "env") return [name, environmentOf(set, item as readonly Variable[])];
    return [name, ofSet(set, item, name)];
  });
  return Object.fromEntries(entries);
}

function mongodOf(set: string, command: readonly string[]): string[] {
  const role = set === CONFIG_SET ? "--configsvr" : "--shardsvr";
  return [...command.map((word) => (word === TEMPLATE_SET ? set : word)), role, "--port", String(PORT)];
}

interface Variable {
  readonly name: string;
}

function environmentOf(set: string, variables: readonly Variable[]): object[] {
  const others = variables.filter(({ name }) => name !== "MEMBERS");
  const role = { name: "ROLE", value: set === CONFIG_SET ? "config" : "shard" };
  return [...others, { name: "MEMBERS", value: membersOf(set) }, { name: "REPLICA_SET", value: set }, role];
}

/** Prints the manifests for the replica set in the first argument of the program. */
export function printManifests(manifestsOf: (set: string) => string): void {
  const [, program = "", set = ""] = argv;
  if (!/^[a-z][a-z0-9-]{1,40}$/.test(set)) {
    stderr.write(`${basename(program)} takes the name of a replica set, such as mongodb-shard-2\n`);
    process.exitCode = 1;
  } else stdout.write(manifestsOf(set));
}

if (import.meta.url === pathToFileURL(argv[1] ?? "").href) printManifests(shardManifests);
