import { readFile, statfs, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { basicEnvironment } from "./basic-environment.ts";
import { makeDataFolder } from "./data-folder.ts";
import { findMongod } from "./mongod-binary.ts";
import { ADMIN, mongodUsers, type MongodUsers, prepareMongod, SET } from "../permissions/mongod-users.ts";
import { startChildServer } from "./child-server.ts";
import { StartupError } from "../run/startup-error.ts";
import type { ServiceName } from "../../contracts/service-names.ts";

/** A real mongod that this process owns: a replica set of one, which transactions and majority writes need. */
export interface EmbeddedMongod {
  /** For who may do everything. */
  readonly url: string;
  /** For a service's own user. */
  urlOf(service: ServiceName): string;
  /** Settles when mongod ends although nobody asked it to. */
  readonly exitedUnexpectedly: Promise<void>;
  stop(): Promise<void>;
}

/** A killed owner takes its mongod along within seconds; a new start waits for that. */
const PREVIOUS_MONGOD_TIMEOUT_MS = 10_000;
/** mongod refuses to start with less. */
const MIN_FREE_BYTES = 500 * 1024 * 1024;

/** Starts mongod on `directory`, where its data stays, and waits until it is primary and has its users. */
export async function startMongod(directory: string): Promise<EmbeddedMongod> {
  const dbPath = join(directory, "mongodb");
  await makeFolder(dbPath);
  await waitForPreviousMongod(dbPath);
  const { binary, why } = { why: "", ...(await findMongod(directory)) };
  if (binary === undefined) throw new StartupError(`No mongod here: ${why}`);
  const [port, users] = [await choosePort(directory), await mongodUsers(directory)];
  let problem: string | undefined;
  const args = mongodArguments(port, dbPath, users);
  const onLine = (line: string) => (problem = problemOf(line) ?? problem);
  const notStarting = (error: unknown) =>
    new StartupError(`mongod does not start on ${dbPath}: ${problem ?? firstLine(error)}`);
  const server = await startChildServer({ program: binary.path, args, env: basicEnvironment(), port, onLine }).catch(
    (error: unknown) => {
      throw notStarting(error);
    },
  );
  await prepareMongod(port, users).catch(async (error: unknown) => {
    await server.stop();
    throw error instanceof StartupError ? error : notStarting(error);
  });
  let stopping = false;
  return {
    url: users.urlOf(ADMIN, port),
    urlOf: (service) => users.urlOf(service, port),
    exitedUnexpectedly: server.exited.then(() => (stopping ? NEVER : undefined)),
    async stop() {
      stopping = true;
      await server.stop();
    },
  };
}

const NEVER = new Promise<void>(() => undefined);

/**
 * Options of WiredTiger. `log`: journal files of 32 MiB, made when they are needed; by default two of 100 MiB lie there
 * from the start. A record larger than a file is still written whole. `session_max`: an operation under way takes a
 * session, and memory for the greatest number is taken at the start; the default, 33 000, takes 58 MiB. All services
 * together open fewer than 1 000 connections, with one operation under way on each.
 */
const STORAGE_ENGINE = "log=(file_max=32MB,prealloc=false),session_max=4000";

/** A replica set of one on loopback, for users alone. */
function mongodArguments(port: number, dbPath: string, users: MongodUsers): string[] {
  return [
    `--dbpath=${dbPath}`,
    `--port=${port}`,
    "--bind_ip=127.0.0.1",
    "--nounixsocket",
    `--replSet=${SET}`,
    `--keyFile=${users.keyfile}`,
    "--wiredTigerCacheSizeGB=0.25",
    `--wiredTigerEngineConfigString=${STORAGE_ENGINE}`,
    // MongoDB's support reads these figures; they take 20 MiB of memory and a write every second.
    "--setParameter=diagnosticDataCollectionEnabled=false",
    // No service sends JavaScript to the server: `$where`, `$function` and `mapReduce` are refused.
    "--noscripting",
  ];
}

/** mongod's reason for not starting, of a line of its log: JSON with a severity, which is F for fatal and E for error. */
function problemOf(line: string): string | undefined {
  if (!/"s":"[FE]"/.test(line)) return undefined;
  try {
    const { msg, attr } = JSON.parse(line) as { msg?: string; attr?: { error?: unknown } };
    return [msg, attr?.error].filter((part) => typeof part === "string").join(": ");
  } catch {
    return undefined;
  }
}

/** By which a service's user reaches the mongod that another process runs on this folder now; undefined when none does. */
export async function runningMongod(directory: string, service: ServiceName): Promise<string | undefined> {
  const pid = await findMongodUsing(join(directory, "mongodb"));
  if (pid === undefined) return undefined;
  return (await mongodUsers(directory)).urlOf(service, await portOfLastStart(directory));
}

async function makeFolder(dbPath: string): Promise<void> {
  await makeDataFolder(dbPath);
  const { bavail, bsize } = await statfs(dbPath);
  if (bavail * bsize < MIN_FREE_BYTES) {
    throw new StartupError(`The disk is full: ${dbPath} has less than 500 MiB left, which mongod needs to start`);
  }
}

/** Waits until no mongod holds the data any more. */
async function waitForPreviousMongod(dbPath: string): Promise<void> {
  const deadline = Date.now() + PREVIOUS_MONGOD_TIMEOUT_MS;
  for (;;) {
    const pid = await findMongodUsing(dbPath);
    if (pid === undefined) return;
    if (Date.now() > deadline) throw new StartupError(`${dbPath} is in use by another mongod (process ${pid})`);
    await new Promise((wake) => setTimeout(wake, 100));
  }
}

/** mongod writes its process id into its lock file, and empties the file when it ends in order. */
async function findMongodUsing(dbPath: string): Promise<number | undefined> {
  const pid = Number(await readFile(join(dbPath, "mongod.lock"), "utf8").catch(() => ""));
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  const command = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "");
  return command.trim() === "mongod" ? pid : undefined;
}

/** The replica set remembers its member's address: the port of the first start is kept, while it is free. */
async function choosePort(directory: string): Promise<number> {
  const kept = await portOfLastStart(directory);
  const port = kept > 0 && kept < 65_536 && (await freePort(kept).catch(() => 0)) === kept ? kept : await freePort(0);
  if (port !== kept) await writeFile(portFile(directory), String(port));
  return port;
}

function portFile(directory: string): string {
  return join(directory, "mongodb-port");
}

/** 0 before the first one. */
async function portOfLastStart(directory: string): Promise<number> {
  return Number(await readFile(portFile(directory), "utf8").catch(() => "0"));
}

/** A free port of loopback: the given one, or any for 0. Rejects when it is taken. */
export function freePort(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : port));
    });
  });
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n", 1)[0] ?? "";
}
