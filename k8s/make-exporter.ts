import { dirname, join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { asYaml, membersOf, printManifests, readManifests, TEMPLATE_NAME } from "./make-shard.ts";

// Writes the manifests of the exporter of a further replica set from those of components/mongodb-monitoring:
//   node k8s/make-exporter.ts mongodb-shard-2 >k8s/components/sharded-mongodb-monitoring/shard-2.yaml

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), "components/mongodb-monitoring");
const TEMPLATES = ["mongodb-exporter.yaml", "network-policies.yaml"];
const TEMPLATE_EXPORTER = "mongodb-exporter";
/** All exporters have the ServiceAccount of the template. */
const SHARED = "ServiceAccount";

/** The manifests of the exporter of a replica set, as YAML. */
export function exporterManifests(set: string): string {
  const template = TEMPLATES.flatMap((file) => readManifests(join(FOLDER, file)));
  const made = template.filter((manifest) => (manifest as { kind?: unknown }).kind !== SHARED);
  return `# Written by: node k8s/make-exporter.ts ${set}\n${asYaml(made.map((manifest) => ofSet(set, manifest)))}`;
}

/** Copies a value of the template, with the names of the set and of its exporter in place of the template's. */
function ofSet(set: string, value: unknown, key = ""): unknown {
  if (typeof value === "string") return textOf(set, value, key);
  if (Array.isArray(value)) return value.map((item) => ofSet(set, item));
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, ofSet(set, item, name)]));
  return copy["targetLabel"] === "replica_set" ? { ...copy, replacement: set } : copy;
}

function textOf(set: string, text: string, key: string): string {
  if (key === "serviceAccountName") return text;
  if (key === "app.kubernetes.io/name" && text === TEMPLATE_NAME) return set;
  return text
    .replace(`${TEMPLATE_EXPORTER}-reads-${TEMPLATE_NAME}`, `${set}-exporter-reads-${set}`)
    .replace(TEMPLATE_EXPORTER, `${set}-exporter`)
    .replace(membersOf(TEMPLATE_NAME), membersOf(set));
}

if (import.meta.url === pathToFileURL(argv[1] ?? "").href) printManifests(exporterManifests);
