import { readSources } from "../architecture/source-file.ts";

/** The actions and events that a service's sources import from the contracts. */
export interface ContractImports {
  /** Names of actions. */
  readonly actions: readonly string[];
  /** Names of events. */
  readonly events: readonly string[];
}

const IMPORT = /\bimport (?:type )?\{([^}]*)\} from "[./]*contracts\/([a-z-]+\.contract)\.ts"/g;

export async function contractImports(service: string): Promise<ContractImports> {
  const own = readSources("services").filter(
    ({ path }) => path.startsWith(`services/${service}/`) && !path.endsWith(".test.ts"),
  );
  const imports = own.flatMap(({ text }) => text.matchAll(IMPORT).toArray());
  const all = (await Promise.all(imports.map(importedValues))).flat();
  return {
    actions: unique(all.filter(isAction).map(({ name }) => name)),
    events: unique(all.map(eventName).filter((name) => name !== undefined)),
  };
}

async function importedValues([, names = "", module = ""]: readonly string[]): Promise<unknown[]> {
  const exports = (await import(`../../services/contracts/${module}.ts`)) as Record<string, unknown>;
  const words = names.split(",").map((name) => name.trim().split(" as ", 1)[0] ?? "");
  return words.map((name) => exports[name]);
}

function isAction(value: unknown): value is { readonly name: string } {
  return typeof value === "object" && value !== null && "idempotent" in value;
}

/** The name of an exported event or event contract. */
function eventName(value: unknown): string | undefined {
  if (typeof value === "string" && value.includes(".")) return value;
  const { name, payload } = Object(value) as { readonly name?: string; readonly payload?: object };
  return payload === undefined ? undefined : name;
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted();
}
