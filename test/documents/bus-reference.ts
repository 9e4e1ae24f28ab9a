import type { ValidationRuleObject } from "fastest-validator";
import { declarationsFor, payloadTypeOf, typesOf } from "../../clients/generate/contract-declarations.ts";
import { actionsFor, BUS_EVENTS } from "../../services/api/bus/bus-user.ts";
import { routeCalling, summaryOf } from "../../services/api/route-table.ts";
import type { ActionContract } from "../../services/contracts/contract.ts";
import { ERRORS, type ErrorType } from "../../services/contracts/errors.ts";
import { SERVICES, type ServiceName } from "../../services/contracts/service-names.ts";
import { GENERAL_REFUSALS } from "../fixtures/general-refusals.ts";
import { readSources } from "../architecture/source-file.ts";
import { type Blocks, table } from "./generated-blocks.ts";

type Contract = ActionContract<unknown, unknown>;

/** Maximum number of values that are listed in place. */
const MAX_VALUES_IN_PLACE = 12;

/** All generated blocks of docs/nats-reference.md. */
export function busBlocks(): Blocks {
  const contracts = actionsFor("write");
  const spelled = contracts.flatMap(({ name }) => Object.values(typesOf(name)) as string[]);
  const payloads = BUS_EVENTS.map(({ name }) => payloadTypeOf(name));
  return {
    "bus-actions": SERVICES.toReversed()
      .map((owner) => sectionOf(owner, contracts))
      .join("\n\n"),
    "bus-events": BUS_EVENTS.map(eventText).join("\n\n"),
    "bus-types": `\`\`\`ts\n${[...declarationsFor([...spelled, ...payloads]).values()].join("\n\n")}\n\`\`\``,
  };
}

function sectionOf(owner: ServiceName, contracts: readonly Contract[]): string {
  const own = contracts.filter(({ name }) => name.startsWith(`${owner}.`));
  return [`### ${owner}`, ...own.map(actionText)].join("\n\n");
}

function actionText(contract: Contract): string {
  const { name, keys, params } = contract;
  const types = typesOf(name);
  const { paths } = routeCalling(name)!;
  const refusals = refusalsBesides(contract).map((code) => `\`${code}\``);
  return [
    `#### ${name}`,
    `${summaryOf(name)}. Access: ${keys === "guild write" ? "write" : "read"}. Over HTTP: \`${paths[0]}\`.`,
    `Result: \`${types.result}\`.${refusals.length === 0 ? "" : ` Also refused with ${refusals.join(", ")}.`}`,
    fieldTable("param", params as Rules),
  ].join("\n\n");
}

function eventText({ name, payload }: (typeof BUS_EVENTS)[number]): string {
  return [`### ${name}`, fieldTable("payload", payload as Rules)].join("\n\n");
}

/** The refusals of an action, in addition to those of every action. */
function refusalsBesides({ keys, params, narrowing, refusals = [] }: Contract): ErrorType[] {
  return [
    ...refusals,
    ...(keys === "guild write" ? (["OUTCOME_UNKNOWN", "WRITE_CONFLICT"] as const) : []),
    ...("ifRevision" in params ? (["REVISION_MISMATCH"] as const) : []),
    ...(narrowing === undefined ? [] : (["TOO_MANY_ENTRIES"] as const)),
  ];
}

/** The gateway's other folders refuse requests over HTTP. */
const sourcesOf = (owner: ServiceName) =>
  owner === "api"
    ? ["feeds", "changes", "keys", "domain"].map((folder) => `services/api/${folder}`)
    : [`services/${owner}`];

/** The errors in a service's sources, without those of every action and those that follow from its contract. */
export function refusalsInSources(owner: ServiceName): ErrorType[] {
  const text = sourcesOf(owner)
    .flatMap((folder) => readSources(folder))
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .map((file) => file.text)
    .join("\n");
  const named = [...text.matchAll(/\brefuse\(\s*"([A-Z_]+)"/g)].map(([, code]) => code as ErrorType);
  return [...new Set(named)].filter((code) => code in ERRORS && !GENERAL_REFUSALS.has(code)).toSorted();
}

type Rules = Readonly<Record<string, ValidationRuleObject>>;

function fieldTable(kind: "param" | "payload", rules: Rules): string {
  return table([kind, "required", "value"], fieldRows(rules, ""));
}

/** A row for each field; those of an object follow it under its name, such as `recurrence.count`. */
function fieldRows(rules: Rules, prefix: string): string[][] {
  return Object.entries(rules).flatMap(([field, rule]) => {
    const name = `${prefix}${field}`;
    const row = [`\`${name}\``, requiredText(rule), valueText(rule)];
    const inner = rule["props"] as Rules | undefined;
    return inner === undefined ? [row] : [row].concat(fieldRows(inner, `${name}.`));
  });
}

function requiredText({ optional, nullable, documentedDefault }: ValidationRuleObject): string {
  if (optional !== true) return "yes";
  if (nullable === true) return "no; null clears it";
  return documentedDefault === undefined ? "no" : `no; \`${JSON.stringify(documentedDefault)}\``;
}

interface Form {
  readonly max: number;
  readonly hint?: string;
}

function valueText(rule: ValidationRuleObject): string {
  const values = (rule["enum"] ?? rule["documented"]) as readonly string[] | undefined;
  if (values !== undefined) {
    return values.length > MAX_VALUES_IN_PLACE ? "one of the values in [types](#types)" : values.map(coded).join(", ");
  }
  const form = rule["form"] as Form | undefined;
  if (rule.type === "array") {
    const most = rule["max"] as number;
    return `at most ${most}, each ${valueText((rule["item"] ?? rule["items"]) as ValidationRuleObject)}`;
  }
  if (rule["int64"] !== undefined) return "a text of digits, 1 to 2^63−1";
  if (form?.hint !== undefined) return form.hint;
  if (form !== undefined) return `a text of at most ${form.max} characters`;
  if (rule.type === "number") return `an integer from ${String(rule["min"])} to ${String(rule["max"])}`;
  return { boolean: "true or false", object: "an object", string: "a text" }[rule.type as "boolean"];
}

const coded = (value: string) => `\`${value}\``;
