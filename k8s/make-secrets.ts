import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv, getuid, stderr, stdout } from "node:process";
import { pathToFileURL } from "node:url";
import { type ServiceName, SERVICES } from "../services/contracts/service-names.ts";
import { BACKUP_USER } from "../services/launch/permissions/database-privileges.ts";

/** The addresses of an installation's servers, for its services. */
export interface Addresses {
  /** `host:port`, separated by commas. */
  readonly mongodb: string;
  readonly nats: string;
  /** `host:port` of the NATS servers' peers. */
  readonly natsPeers: readonly string[];
  /** Whether `mongodb` are routers of a sharded cluster instead of members of a replica set. */
  readonly sharded?: boolean;
  /** Whether the services use TLS, and refuse servers without it (components/tls). */
  readonly tls?: boolean;
}

export const IN_KUBERNETES: Addresses = {
  mongodb: "mongodb-0.mongodb:27017,mongodb-1.mongodb:27017,mongodb-2.mongodb:27017",
  nats: "nats:4222",
  natsPeers: ["nats-0.nats-peers:6222", "nats-1.nats-peers:6222", "nats-2.nats-peers:6222"],
};

/** With components/sharded-mongodb. */
export const WITH_SHARDS: Addresses = { ...IN_KUBERNETES, mongodb: "mongos:27017", sharded: true };

export const IN_COMPOSE: Addresses = { mongodb: "mongodb:27017", nats: "nats:4222", natsPeers: [] };

/** Secrets by name, their values by key. */
export type Secrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** All secrets of a new installation. `random` returns 256 bits, in characters that never need escaping. */
export function makeSecrets(at: Addresses, random: () => string): Secrets {
  const natsPasswords = passwords(random);
  const mongoPasswords = { ...passwords(random), [BACKUP_USER]: random() };
  const urls = SERVICES.map((service) => [
    service,
    {
      MONGO_URL: mongoUrl(service, mongoPasswords[service], at),
      NATS_URL: `${at.tls === true ? "tls" : "nats"}://${service}:${natsPasswords[service]}@${at.nats}`,
      ...ofItsOwn(service, random),
    },
  ]);
  const peer = random();
  return {
    ...(Object.fromEntries(urls) as Secrets),
    backup: { MONGO_URL: mongoUrl(BACKUP_USER, mongoPasswords[BACKUP_USER], at) },
    nats: {
      "passwords.conf": SERVICES.map((service) => `${variable(service)}: "${natsPasswords[service]}"\n`).join(""),
      "cluster.conf": clusterConf(peer, at.natsPeers),
    },
    mongodb: {
      // The key with which members of the set authenticate each other.
      keyfile: random(),
      "passwords.json": JSON.stringify({ admin: random(), ...mongoPasswords }),
      // The only value that the exporter's pod gets (components/mongodb-monitoring).
      "exporter-password": random(),
    },
  };
}

function passwords(random: () => string): Record<ServiceName, string> {
  return Object.fromEntries(SERVICES.map((service) => [service, random()])) as Record<ServiceName, string>;
}

/** The secrets of a single service. The operator sets the empty ones; an empty value counts as absent. */
function ofItsOwn(service: string, random: () => string): Readonly<Record<string, string>> {
  if (service === "api") return { API_KEY: `gc_operator_${random()}`, API_KEY_PEPPER: random() };
  if (service === "webhooks") return { WEBHOOKS_KEY: random() };
  return service === "dispatch" ? { DISCORD_TOKEN: "", WEBHOOK_SECRET: "" } : {};
}

function mongoUrl(user: string, password: string, { mongodb, sharded = false, tls = false }: Addresses): string {
  const ofSet = sharded ? "" : "replicaSet=guildcal&";
  const url = `mongodb://${user}:${password}@${mongodb}/guildcal?${ofSet}authSource=admin`;
  return tls ? `${url}&tls=true` : url;
}

/** The variable of a service's password in users.conf. */
export function variable(service: string): string {
  return `${service.toUpperCase().replaceAll("-", "_")}_PASSWORD`;
}

function clusterConf(password: string, peers: readonly string[]): string {
  const routes = peers.map((peer) => `  "nats-route://peer:${password}@${peer}"\n`).join("");
  return `authorization { user: peer, password: "${password}", timeout: 5 }\nroutes: [\n${routes}]\n`;
}

/**
 * A manifest for `kubectl -n <namespace> create -f -`, which refuses existing secrets, so that a second run replaces nothing.
 * `apply` would replace each secret, and store all values in an annotation.
 */
export function asManifest(secrets: Secrets) {
  const items = Object.entries(secrets).map(([name, stringData]) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, labels: { "app.kubernetes.io/part-of": "guildcal" } },
    type: "Opaque",
    stringData,
  }));
  return { apiVersion: "v1", kind: "List", items };
}

/** The user of MongoDB's image; mongod refuses a keyfile that other users may read. */
const MONGODB_UID = 999;

/** Writes a folder for each secret, with a file for each value. Does nothing, and returns false, if they exist. */
function writeOnce(secrets: Secrets, folder: string): boolean {
  // This secret is written last, so that an interrupted run is repeated.
  const done = join(folder, "mongodb", "done");
  if (existsSync(done)) return false;
  for (const [name, values] of Object.entries(secrets)) {
    mkdirSync(join(folder, name), { recursive: true });
    for (const [key, value] of Object.entries(values)) writeValue(join(folder, name, key), value, name === "mongodb");
  }
  writeFileSync(done, "");
  return true;
}

/** Each folder is a volume that only its service mounts; its files are readable for every user. */
function writeValue(path: string, value: string, isMongodbs: boolean): void {
  // A file of an interrupted run may not be writable.
  rmSync(path, { force: true });
  writeFileSync(path, value, { mode: isMongodbs ? 0o400 : 0o444 });
  if (isMongodbs && getuid?.() === 0) chownSync(path, MONGODB_UID, MONGODB_UID);
}

/** 256 bits, in characters that never need escaping. */
export function randomSecret(): string {
  return randomBytes(32).toString("hex");
}

function main(words: readonly string[]): void {
  const tls = words.includes("--tls");
  const at = words.includes("--sharded") ? WITH_SHARDS : IN_KUBERNETES;
  const folder = words.find((word) => !word.startsWith("--"));
  if (folder === undefined) {
    stdout.write(`${JSON.stringify(asManifest(makeSecrets({ ...at, tls }, randomSecret)))}\n`);
  } else {
    const made = writeOnce(makeSecrets(IN_COMPOSE, randomSecret), folder);
    stderr.write(made ? "The secrets of this installation were made\n" : "The secrets were made before\n");
  }
}

if (import.meta.url === pathToFileURL(argv[1] ?? "").href) main(argv.slice(2));
