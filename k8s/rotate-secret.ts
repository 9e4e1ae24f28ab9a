import { argv, env, stderr, stdin, stdout } from "node:process";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { SERVICES } from "../services/contracts/service-names.ts";
import { BACKUP_USER } from "../services/launch/permissions/database-privileges.ts";
import { randomSecret, type Secrets, variable } from "./make-secrets.ts";

// Replaces one secret of an installation in all its places:
//   kubectl -n <namespace> get secrets -l app.kubernetes.io/part-of=guildcal -o json |
//     node k8s/rotate-secret.ts <what> [whose] | kubectl -n <namespace> replace -f -
// README.md lists the workloads to restart after each rotation. Every secret keeps the resourceVersion that was read, so that
// kubectl refuses to replace a secret that was changed in the meantime.

/** Generates new values, and returns them by secret and key. */
type Rotation = (secrets: Secrets, whose: string, value: () => string) => Secrets;

/** A rotation is impossible; the message has the reason. */
export class RotationError extends Error {}

export const ROTATIONS: Readonly<Record<string, Rotation>> = {
  "operator-key": (_, __, value) => ({ api: { API_KEY: `gc_operator_${value()}` } }),
  "key-pepper": (_, __, value) => ({ api: { API_KEY_PEPPER: value() } }),
  "webhooks-key": (_, __, value) => ({ webhooks: { WEBHOOKS_KEY: value() } }),
  "discord-token": (_, __, value) => ({ dispatch: { DISCORD_TOKEN: value() } }),
  "webhook-secret": (_, __, value) => ({ dispatch: { WEBHOOK_SECRET: value() } }),

  database(secrets, user, value) {
    const passwords = JSON.parse(valueOf(secrets, "mongodb", "passwords.json")) as Record<string, string>;
    const password = value();
    if (user === "exporter") return { mongodb: { "exporter-password": password } };
    if (user === "backup") {
      const url = withPassword(secrets, "backup", "MONGO_URL", password);
      const mongodb = { "passwords.json": JSON.stringify({ ...passwords, [BACKUP_USER]: password }) };
      return { mongodb, backup: { MONGO_URL: url } };
    }
    // The set-up container beside the first member logs in with the old password to change it.
    const former = user === "admin" ? { adminBefore: passwords["admin"] } : {};
    const mongodb = { "passwords.json": JSON.stringify({ ...passwords, ...former, [user]: password }) };
    if (user === "admin") return { mongodb };
    return { mongodb, [oneOfTheServices(user)]: { MONGO_URL: withPassword(secrets, user, "MONGO_URL", password) } };
  },

  bus(secrets, service, value) {
    const password = value();
    const before = valueOf(secrets, "nats", "passwords.conf");
    const line = new RegExp(`^${variable(oneOfTheServices(service))}: ".*"$`, "m");
    const entry = `${variable(service)}: "${password}"`;
    // A service that is newer than the installation has no line yet.
    const after = line.test(before) ? before.replace(line, () => entry) : `${before}${entry}\n`;
    return {
      nats: { "passwords.conf": after },
      [service]: { NATS_URL: withPassword(secrets, service, "NATS_URL", password) },
    };
  },

  "bus-peers"(secrets, _, value) {
    const password = value();
    const conf = valueOf(secrets, "nats", "cluster.conf");
    const after = conf
      .replaceAll(/(nats-route:\/\/peer:)[^@]*@/g, (_all, before: string) => `${before}${password}@`)
      .replace(/(password: )"[^"]*"/, (_all, before: string) => `${before}"${password}"`);
    return { nats: { "cluster.conf": after } };
  },

  /** Adds a second key: members with either key accept members that have both. `keyfile-end` removes the old key. */
  keyfile(secrets, _, value) {
    const keys = keysOf(secrets);
    if (keys.length > 1)
      throw new RotationError("keyfile has two keys: end the earlier rotation with keyfile-end first");
    return { mongodb: { keyfile: [...keys, value()].map((key) => `- ${key}\n`).join("") } };
  },

  "keyfile-end"(secrets) {
    const keys = keysOf(secrets);
    if (keys.length < 2) throw new RotationError("keyfile has one key: begin a rotation with keyfile first");
    return { mongodb: { keyfile: keys.at(-1) ?? "" } };
  },
};

/** Secrets that another party issues. The operator passes the value in the variable VALUE. */
const GIVEN = new Set(["discord-token", "webhook-secret"]);

function valueOf(secrets: Secrets, secret: string, key: string): string {
  const value = secrets[secret]?.[key];
  if (value === undefined) throw new RotationError(`The secret ${secret} with the key ${key} is not among those read`);
  return value;
}

function oneOfTheServices(name: string): string {
  if ((SERVICES as readonly string[]).includes(name)) return name;
  const problem = name === "" ? "No service was given: it must be one of" : `${name} is none of`;
  throw new RotationError(`${problem} ${SERVICES.join(", ")}`);
}

/** The URL with another password; the operator's hosts and options stay. */
function withPassword(secrets: Secrets, service: string, key: string, password: string): string {
  const url = valueOf(secrets, service, key);
  const after = url.replace(/^([a-z+]+:\/\/[^:/@]+:)[^@]*@/, (_, before: string) => `${before}${password}@`);
  if (after === url) throw new RotationError(`${key} of the secret ${service} names no user with a password`);
  return after;
}

/** A keyfile is one key, or a YAML list of two. */
function keysOf(secrets: Secrets): string[] {
  const lines = valueOf(secrets, "mongodb", "keyfile").trim().split("\n");
  return lines.map((line) => line.replace(/^- /, ""));
}

/** A secret in the output of `kubectl get secrets -o json`. */
export interface StoredSecret {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
}

/** `kubectl apply` stores all values in this annotation, which some roles may read without the data. */
const APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** The secrets that a rotation changes, for `kubectl replace -f -`. Throws RotationError; then no secret may be replaced. */
export function rotate(stored: readonly StoredSecret[], what: string, whose: string, value: () => string) {
  const rotation = Object.hasOwn(ROTATIONS, what) ? ROTATIONS[what] : undefined;
  if (rotation === undefined) throw new RotationError(`"${what}" is none of ${Object.keys(ROTATIONS).join(", ")}`);
  const secrets = Object.fromEntries(stored.map(({ metadata: { name }, data = {} }) => [name, decoded(data)]));
  const changes = rotation(secrets, whose, value);
  const items = Object.entries(changes).map(([name, values]) => withValues(storedAs(stored, name), values));
  return { apiVersion: "v1", kind: "List", items };
}

function storedAs(stored: readonly StoredSecret[], name: string): StoredSecret {
  const found = stored.find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new RotationError(`The secret ${name} is not among those read`);
  return found;
}

function withValues(before: StoredSecret, values: Readonly<Record<string, string>>): StoredSecret {
  const { metadata, data = {} } = before;
  const missing = Object.keys(values).find((key) => data[key] === undefined);
  if (missing !== undefined) throw new RotationError(`The secret ${metadata.name} has no key ${missing}`);
  const { [APPLIED]: _, ...annotations } = metadata.annotations ?? {};
  return { ...before, metadata: { ...metadata, annotations }, data: { ...data, ...encoded(values) } };
}

function decoded(data: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]));
}

function encoded(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]));
}

async function main([what = "", whose = ""]: readonly string[]): Promise<void> {
  try {
    const given = env["VALUE"] ?? "";
    if (GIVEN.has(what) && given === "") throw new RotationError(`The variable VALUE must hold the new ${what}`);
    const { items } = JSON.parse(await text(stdin)) as { readonly items: readonly StoredSecret[] };
    const changed = rotate(items, what, whose, () => (GIVEN.has(what) ? given : randomSecret()));
    stdout.write(`${JSON.stringify(changed)}\n`);
  } catch (error) {
    // An empty stdout gives kubectl nothing to replace.
    stderr.write(`${error instanceof RotationError ? error.message : "The input is not a list of secrets"}\n`);
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(argv[1] ?? "").href) await main(argv.slice(2));
