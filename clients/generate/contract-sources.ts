import { readdirSync } from "node:fs";
import { join } from "node:path";
import { actionsFor, BUS_EVENTS } from "../../services/api/bus/bus-user.ts";
import { summaryOf } from "../../services/api/route-table.ts";
import { ERRORS } from "../../services/contracts/errors.ts";
import { declarationsFor, payloadTypeOf, typesOf } from "./contract-declarations.ts";
import { formatSource } from "./format-source.ts";

const CONTRACTS = join(import.meta.dirname, "../../services/contracts");
/** All actions that bus users (services of other projects) may call: write access includes the reads. */
const ACTIONS = actionsFor("write");

/** The generated modules of clients/contracts/src, by name. */
export async function contractSources(): Promise<Readonly<Record<string, string>>> {
  return {
    "contract-types.ts": await formatSource("services/contracts", await contractTypes()),
    "access.ts": await formatSource("services/contracts", accessTable()),
  };
}

/** The types and lists of the contracts, `Actions` and `Events`. */
async function contractTypes(): Promise<string> {
  const actions = ACTIONS.map(({ name }) => ({ name, ...typesOf(name) }));
  const events = BUS_EVENTS.map(({ name }) => ({ name, payload: payloadTypeOf(name) }));
  const types = [...actions.flatMap(({ params, result }) => [params, result]), ...events.map(({ payload }) => payload)];
  // `bus-types.ts`, which is not generated, uses FieldProblem.
  const declarations = declarationsFor([...types, "FieldProblem"]);
  const lists = await listsNamed([...declarations.keys()]);
  return `${[...declarations].map(([name, text]) => declarationOf(name, text, lists)).join("\n\n")}

/** The type of an action's refusal. */
export const ERROR_CODES = ${JSON.stringify(Object.keys(ERRORS))} as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** The actions that a bus user may call, by name. */
export interface Actions {
${actions.map(({ name, params, result }) => `${aboutAction(name)}readonly "${name}": { readonly params: ${params}; readonly result: ${result} };`).join("\n")}
}

/** The payloads of the events that a bus user receives, by event name. */
export interface Events {
${events.map(({ name, payload }) => `readonly "${name}": ${payload};`).join("\n")}
}
`;
}

function aboutAction(name: string): string {
  return `/** ${summaryOf(name)}. */\n`;
}

/**
 * The declaration in the package. A list is written with its values, since the sources derive some lists from others. Ids
 * are plain strings: outside guildcal ids come from messages and configuration, and a branded type would need an assertion.
 */
function declarationOf(name: string, text: string, lists: ReadonlyMap<string, readonly string[]>): string {
  const list = lists.get(name);
  if (list === undefined) return name === "Branded" ? "" : text.replaceAll(/\bBranded<"\w+">/g, "string");
  const comment = /^\/\*\*[\s\S]*?\*\/\n/.exec(text)?.[0] ?? "";
  return `${comment}export const ${name} = ${JSON.stringify(list)} as const;`;
}

/** The lists of the contracts among the names, with their values. */
async function listsNamed(names: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = readdirSync(CONTRACTS).filter((file) => /^[a-z-]+(?:\.contract)?\.ts$/.test(file));
  const modules = await Promise.all(files.map((file) => import(join(CONTRACTS, file)) as Promise<object>));
  const values = new Map(modules.flatMap((module) => Object.entries(module)));
  return new Map(
    names.flatMap((name) => {
      const value: unknown = values.get(name);
      return Array.isArray(value) ? [[name, value as string[]] as const] : [];
    }),
  );
}

/** The source of `ACCESS`: the access that a bus user needs for each action. */
function accessTable(): string {
  const table = Object.fromEntries(ACTIONS.map(({ name, keys }) => [name, keys === "guild write" ? "write" : "read"]));
  return `import type { Actions } from "./contract-types.ts";

/** The access that a bus user needs for each action. */
export const ACCESS: { readonly [Name in keyof Actions]: "read" | "write" } = ${JSON.stringify(table)};
`;
}
