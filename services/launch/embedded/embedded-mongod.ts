import { readFile, statfs, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { basicEnvironment } from "./basic-environment.ts";
import { makeDataFolder } from "./data-folder.ts";
import { findMongod } from "./mongod-binary.ts";
import { ADMIN, type DatabaseUser } from "../permissions/database-privileges.ts";
import { mongodUsers, type MongodUsers, prepareMongod, REPLICA_SET } from "../permissions/mongod-users.ts";
import { startChildServer } from "./child-server.ts";
import { StartupError } from "../run/startup-error.ts";
import { pollUntil } from "../poll-until.ts";

/** A mongod that this process owns. It is a replica set of one, which transactions and majority writes need. */
export interface EmbeddedMongod {
  /** URL of the administrator. */
  readonly url: string;
  /** URL of the user of a service, or of a command. */
  urlOf(user: DatabaseUser): string;
  /** Resolves when mongod ends without `stop`. */
  readonly exitedUnexpectedly: Promise<void>;
  stop(): Promise<void>;
}

/** Time to wait for the mongod of a killed process, which ends within seconds. */
const PREVIOUS_MONGOD_TIMEOUT_MS = 10_000;
/** mongod does not start with less free space. */
const MIN_FREE_BYTES = 500 * 1024 * 1024;

/** MongoDB's smallest cache. */
const CACHE_GIB = 0.25;

/**
 * Starts mongod with its data in `directory`, and waits until it is primary and has its users.
 *
 * @param cacheGib - Size of WiredTiger's cache in GiB, at least 0.25.
 */
export async function startMongod(directory: string, cacheGib = CACHE_GIB): Promise<EmbeddedMongod> {
  const dbPath = join(directory, "mongodb");
  await makeFolder(dbPath);
  await waitForPreviousMongod(dbPath);
  const { binary, reason } = { reason: "", ...(await findMongod(directory)) };
  if (binary === undefined) throw new StartupError(`No usable mongod: ${reason}`);
  const [port, users] = [await choosePort(directory), await mongodUsers(directory)];
  let problem: string | undefined;
  const args = mongodArguments(port, dbPath, users, cacheGib);
  const onLine = (line: string) => (problem = problemOf(line) ?? problem);
  const isReady = (line: string) => line.includes('"msg":"Waiting for connections"');
  const notStarting = (error: unknown) =>
    new StartupError(`mongod does not start on ${dbPath}: ${problem ?? firstLine(error)}`);
  const command = { program: binary.path, args, env: basicEnvironment(), onLine, isReady };
  const server = await startChildServer(command).catch((error: unknown) => {
    throw notStarting(error);
  });
  await prepareMongod(port, users).catch(async (error: unknown) => {
    await server.stop();
    throw error instanceof StartupError ? error : notStarting(error);
  });
  let stopping = false;
  return {
    url: users.urlOf(ADMIN, port),
    urlOf: (user) => users.urlOf(user, port),
    exitedUnexpectedly: server.exited.then(() => (stopping ? NEVER : undefined)),
    async stop() {
      stopping = true;
      await server.stop();
    },
  };
}

const NEVER = new Promise<void>(() => undefined);

/**
 * Options of WiredTiger.
 *
 * `log`: journal files of 32 MiB, created when needed; by default two files of 100 MiB exist from the start. A journal
 * record that is larger than a file is still written whole.
 *
 * `session_max`: a running operation takes a session, and WiredTiger allocates memory for all sessions at the start;
 * the default, 33 000, takes 58 MiB. All services together open fewer than 1 000 connections, with one running
 * operation on each.
 */
const STORAGE_ENGINE = "log=(file_max=32MB,prealloc=false),session_max=4000";

/** The arguments of a replica set of one on loopback, with authentication. */
function mongodArguments(port: number, dbPath: string, users: MongodUsers, cacheGib: number): string[] {
  return [
    `--dbpath=${dbPath}`,
    `--port=${port}`,
    "--bind_ip=127.0.0.1",
    "--nounixsocket",
    `--replSet=${REPLICA_SET}`,
    `--keyFile=${users.keyfile}`,
    `--wiredTigerCacheSizeGB=${cacheGib}`,
    `--wiredTigerEngineConfigString=${STORAGE_ENGINE}`,
    // Diagnostic data are for MongoDB's support; they take 20 MiB of memory and a write every second.
    "--setParameter=diagnosticDataCollectionEnabled=false",
    // No service sends JavaScript to the server, so `$where`, `$function` and `mapReduce` are disabled.
    "--noscripting",
  ];
}

/**
 * The reason of a failed start in a line of mongod's log: JSON with a severity, F for fatal or E for error. Undefined
 * for other lines.
 */
function problemOf(line: string): string | undefined {
  if (!/"s":"[FE]"/.test(line)) return undefined;
  try {
    const { msg, attr } = JSON.parse(line) as { msg?: string; attr?: { error?: unknown } };
    return [msg, attr?.error].filter((part) => typeof part === "string").join(": ");
  } catch {
    return undefined;
  }
}

/**
 * Returns the URLs, by user, of the mongod that another process runs on this folder now; undefined if there is
 * none.
 */
export async function runningMongod(directory: string): Promise<((user: DatabaseUser) => string) | undefined> {
  const pid = await findMongodUsing(join(directory, "mongodb"));
  if (pid === undefined) return undefined;
  const [users, port] = [await mongodUsers(directory), await portOfLastStart(directory)];
  return (user) => users.urlOf(user, port);
}

async function makeFolder(dbPath: string): Promise<void> {
  await makeDataFolder(dbPath);
  const { bavail, bsize } = await statfs(dbPath);
  if (bavail * bsize < MIN_FREE_BYTES) {
    throw new StartupError(`The disk is full: ${dbPath} has less than 500 MiB left, which mongod needs to start`);
  }
}

/** Waits until no mongod uses the data. */
async function waitForPreviousMongod(dbPath: string): Promise<void> {
  let pid: number | undefined;
  const isFree = async () => {
    pid = await findMongodUsing(dbPath);
    return pid === undefined;
  };
  const timeoutError = () => new StartupError(`${dbPath} is in use by another mongod (process ${pid})`);
  await pollUntil(isFree, { everyMs: 100, timeoutMs: PREVIOUS_MONGOD_TIMEOUT_MS, timeoutError });
}

/**
 * The process id of the mongod that uses the data. mongod writes it into its lock file, and empties the file at a
 * clean end.
 */
async function findMongodUsing(dbPath: string): Promise<number | undefined> {
  const pid = Number(await readFile(join(dbPath, "mongod.lock"), "utf8").catch(() => ""));
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  const command = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "");
  return command.trim() === "mongod" ? pid : undefined;
}

/** Chooses the port of the last start if it is free: the replica set stores the address of its member. */
async function choosePort(directory: string): Promise<number> {
  const last = await portOfLastStart(directory);
  const port = last > 0 && last < 65_536 && (await freePort(last).catch(() => 0)) === last ? last : await freePort(0);
  if (port !== last) await writeFile(portFile(directory), String(port));
  return port;
}

function portFile(directory: string): string {
  return join(directory, "mongodb-port");
}

/** The port of the last start; 0 before the first one. */
async function portOfLastStart(directory: string): Promise<number> {
  return Number(await readFile(portFile(directory), "utf8").catch(() => "0"));
}

/** A free port on loopback: the given port, or any port for 0. Rejects if the given port is in use. */
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
