import { userInfo } from "node:os";
import { parseArgs } from "node:util";
import mongoose from "mongoose";
import { paramsCheck } from "../../../mixins/actions/check-params.ts";
import { apiKeysStore } from "../../api/keys/api-keys.store.ts";
import { type ApiKeyManagement, apiKeyManagement } from "../../api/keys/api-key-management.ts";
import { type ApiKeyView, createKey, listKeyChanges, rotateKey } from "../../contracts/api-keys.contract.ts";
import type { ActionContract } from "../../contracts/contract.ts";
import { ERRORS, isRefusal, type Refusal } from "../../contracts/errors.ts";
import { auditText, keyListText, issuedKeyText } from "./keys-output.ts";
import { withPepper } from "../run/api-key-pepper.ts";
import { openDatabase } from "./open-database.ts";
import { recordSchemaVersion } from "../run/schema-version.ts";
import { readSettings } from "../run/service-factories.ts";
import { StartupError } from "../run/startup-error.ts";

const USAGE = `npm run keys -- create --kind guild|service|operator --label TEXT [--guild ID]... [--read-only] [--expires ISO-TIME]
npm run keys -- list
npm run keys -- audit [ID] [--amount N] [--before NEXT]
npm run keys -- rotate ID [--overlap-hours N]
npm run keys -- revoke ID
Each takes --json.`;

const OPTIONS = {
  kind: { type: "string" },
  label: { type: "string" },
  guild: { type: "string", multiple: true },
  "read-only": { type: "boolean" },
  expires: { type: "string" },
  "overlap-hours": { type: "string" },
  amount: { type: "string" },
  before: { type: "string" },
  json: { type: "boolean" },
} as const;

const KEYS_A_PAGE = 100;

type ParsedArguments = ReturnType<typeof parseArguments>;

/**
 * `npm run keys`: for whoever may read the database and the pepper, without a key and whether the service runs or
 * not. What it changes shows everywhere within five seconds, as gateways look again by themselves.
 */
export async function runKeys(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const work = parseCommand(parseArguments(args));
  const settings = await withPepper(readSettings(env));
  const mongo = await openDatabase(settings);
  await recordSchemaVersion(mongo.url, "api");
  const connection = await mongoose.createConnection(mongo.url, { autoIndex: false, autoCreate: false }).asPromise();
  try {
    const hashing = { pepper: settings.API_KEY_PEPPER as string, env: settings.API_KEY_ENV };
    const text = await work(apiKeyManagement(apiKeysStore(connection), hashing));
    process.stdout.write(`${text}\n`);
  } finally {
    await connection.close();
    await mongo.close();
  }
}

function parseArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new StartupError(`${(error as Error).message}\n${USAGE}`);
  }
}

/** Returns the command's work, which resolves with the text to print. Rejects invalid arguments before MongoDB is reached. */
function parseCommand({ positionals, values }: ParsedArguments): (management: ApiKeyManagement) => Promise<string> {
  const [command = "", id = ""] = positionals;
  const json = values.json === true;
  const by = `npm run keys, by ${userInfo().username}`;
  switch (command) {
    case "create": {
      const params = checked(createKey, createParams(values));
      return async (management) => issuedKeyText(unwrap(await management.create(params, by)), json);
    }
    case "list":
      return async (management) => keyListText(await allKeys(management), json);
    case "audit": {
      const params = checked(listKeyChanges, auditParams(id, values));
      return async (management) => auditText(await management.changes(params), json);
    }
    case "rotate": {
      const hours = values["overlap-hours"];
      const params = checked(rotateKey, { id, ...(hours === undefined ? {} : { overlapHours: Number(hours) }) });
      return async (management) => issuedKeyText(unwrap(await management.rotate(id, params.overlapHours, by)), json);
    }
    case "revoke":
      return async (management) => {
        unwrap(await management.revoke(id, by));
        return json ? JSON.stringify({ id }) : `${id} is revoked: it opens nothing after five seconds at most`;
      };
    default:
      throw new StartupError(USAGE);
  }
}

/** All pages, each so small that it holds whatever the keys name. */
async function allKeys(management: ApiKeyManagement): Promise<ApiKeyView[]> {
  const all: ApiKeyView[] = [];
  for (let before: string | undefined; ;) {
    const page = unwrap(await management.list({ amount: KEYS_A_PAGE, ...(before === undefined ? {} : { before }) }));
    all.push(...page.keys);
    if (page.next === undefined) return all;
    before = page.next;
  }
}

function createParams({ kind, label, guild, expires, ...values }: ParsedArguments["values"]): object {
  return {
    kind,
    label,
    access: values["read-only"] === true ? "read" : "write",
    ...(guild === undefined ? {} : { guilds: guild }),
    ...(expires === undefined ? {} : { expiresAt: timeOf(expires) }),
  };
}

function auditParams(id: string, { amount, before }: ParsedArguments["values"]): object {
  return {
    ...(id === "" ? {} : { id }),
    ...(amount === undefined ? {} : { amount: Number(amount) }),
    ...(before === undefined ? {} : { before }),
  };
}

function timeOf(text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new StartupError("--expires must be a time such as 2030-01-31T00:00:00Z");
  return at;
}

function checked<Params>(contract: ActionContract<Params, unknown>, params: object): Params {
  const problems = paramsCheck(contract)(params);
  if (problems.length === 0) return params as Params;
  throw new StartupError([...problems.map(({ field, message }) => `${field} ${message}`), USAGE].join("\n"));
}

function unwrap<T>(outcome: T | Refusal): T {
  if (!isRefusal(outcome)) return outcome;
  const problems = (outcome.problems ?? []).map(({ field, message }) => `: ${field} ${message}`);
  throw new StartupError(ERRORS[outcome.refusal].message + problems.join(""));
}
