import mongoose from "mongoose";
import { apiKeysStore } from "../../api/keys/api-keys.store.ts";
import { type ApiKeyManagement, apiKeyManagement } from "../../api/keys/api-key-management.ts";
import { type ApiKeyView, createKey, listKeyChanges, rotateKey } from "../../contracts/api-keys.contract.ts";
import { ERRORS, isRefusal, type Refusal } from "../../contracts/errors.ts";
import { checkedParams, parseArguments } from "./arguments.ts";
import { auditText, keyListText, issuedKeyText } from "./keys-output.ts";
import { openDatabase } from "./open-database.ts";
import { operatorName } from "./operator-name.ts";
import { withStoredSecrets } from "../run/stored-secrets.ts";
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

const KEYS_PER_PAGE = 100;

type ParsedArguments = ReturnType<typeof parseArguments<typeof OPTIONS>>;

/**
 * `npm run keys`: manages API keys for everyone who can access the database and the pepper, without a key and whether
 * the service runs or not. Gateways read the keys again every few seconds, so a change applies everywhere within five
 * seconds.
 */
export async function runKeys(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const work = parseCommand(parseArguments(args, OPTIONS, USAGE));
  const settings = await withStoredSecrets(readSettings(env), "API_KEY_PEPPER");
  const database = await openDatabase(settings);
  const url = database.urlOf("api");
  await recordSchemaVersion(url, "api");
  const connection = await mongoose.createConnection(url, { autoIndex: false, autoCreate: false }).asPromise();
  try {
    const hashing = { pepper: settings.API_KEY_PEPPER as string, env: settings.API_KEY_ENV };
    const text = await work(apiKeyManagement(apiKeysStore(connection), hashing));
    process.stdout.write(`${text}\n`);
  } finally {
    await connection.close();
    await database.close();
  }
}

/**
 * Returns the work of the command, which resolves with the text to print. Throws StartupError for invalid arguments, before
 * the command connects to MongoDB.
 */
function parseCommand({ positionals, values }: ParsedArguments): (management: ApiKeyManagement) => Promise<string> {
  const [command = "", id = ""] = positionals;
  const json = values.json === true;
  const by = `npm run keys, by ${operatorName()}`;
  switch (command) {
    case "create": {
      const params = checkedParams(createKey, createParams(values), USAGE);
      return async (management) => issuedKeyText(unwrap(await management.create(params, by)), json);
    }
    case "list":
      return async (management) => keyListText(await allKeys(management), json);
    case "audit": {
      const params = checkedParams(listKeyChanges, auditParams(id, values), USAGE);
      return async (management) => auditText(await management.changes(params), json);
    }
    case "rotate": {
      const hours = values["overlap-hours"];
      const params = checkedParams(
        rotateKey,
        { id, ...(hours === undefined ? {} : { overlapHours: Number(hours) }) },
        USAGE,
      );
      return async (management) => issuedKeyText(unwrap(await management.rotate(id, params.overlapHours, by)), json);
    }
    case "revoke":
      return async (management) => {
        unwrap(await management.revoke(id, by));
        return json ? JSON.stringify({ id }) : `${id} is revoked: every gateway refuses it within five seconds`;
      };
    default:
      throw new StartupError(USAGE);
  }
}

/** Reads all pages. A page is small enough for a response even if its keys name many guilds. */
async function allKeys(management: ApiKeyManagement): Promise<ApiKeyView[]> {
  const all: ApiKeyView[] = [];
  for (let before: string | undefined; ;) {
    const page = unwrap(await management.list({ amount: KEYS_PER_PAGE, ...(before === undefined ? {} : { before }) }));
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
    ...(expires === undefined ? {} : { expiresAt: parseTime(expires) }),
  };
}

function auditParams(id: string, { amount, before }: ParsedArguments["values"]): object {
  return {
    ...(id === "" ? {} : { id }),
    ...(amount === undefined ? {} : { amount: Number(amount) }),
    ...(before === undefined ? {} : { before }),
  };
}

function parseTime(text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new StartupError("--expires must be a time such as 2030-01-31T00:00:00Z");
  return at;
}

function unwrap<T>(outcome: T | Refusal): T {
  if (!isRefusal(outcome)) return outcome;
  const problems = (outcome.problems ?? []).map(({ field, message }) => `: ${field} ${message}`);
  throw new StartupError(ERRORS[outcome.refusal].message + problems.join(""));
}
