import { readFile, statfs, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { basicEnvironment } from "./basic-environment.ts";
import { makeDataFolder } from "./data-folder.ts";
import { findMongod, type MongodBinary } from "./mongod-binary.ts";
import { ADMIN, mongodUsers, type MongodUsers, prepareMongod, SET } from "./mongod-users.ts";
import type { ServiceName } from "./service-factories.ts";
import { StartupError } from "./startup-error.ts";

/** A real mongod that this process owns: a replica set of one, which transactions and majority writes need. */
export interface EmbeddedMongod {
  /** For who may do everything. */
  readonly url: string;
  /** For a service's own user. */
  urlOf(service: ServiceName): string;
  /** Settles when mongod ends although nobody asked it to. */
  readonly lost: Promise<void>;
  stop(): Promise<void>;
}

/** A killed owner takes its mongod along within five seconds; a new start waits for that. */
const WAIT_FOR_PREDECESSOR_MS = 10_000;
/** mongod refuses to start with less. */
const LEAST_FREE_BYTES = 500 * 1024 * 1024;

/** Starts mongod on `directory`, where its data stays, and waits until it is primary and has its users. */
export async function startMongod(directory: string): Promise<EmbeddedMongod> {
  const dbPath = join(directory, "mongodb");
  await makeFolder(dbPath);
  const library = await mongodLibrary();
  await predecessorGone(dbPath);
  const { binary, why } = { why: "", ...(await findMongod(directory)) };
  const [port, users] = [await keptPort(directory), await mongodUsers(directory)];
  const server = await silently(() =>
    library.MongoMemoryServer.create(serverOptions(binary, port, dbPath, users)),
  ).catch((error: unknown) => {
    throw new StartupError(
      binary === undefined ? `No mongod here: ${why}` : `mongod does not start on ${dbPath}: ${firstLine(error)}`,
    );
  });
  const stop = () => server.stop({ doCleanup: false });
  await prepareMongod(port, users).catch(async (error: unknown) => {
    await silently(stop);
    throw error instanceof StartupError
      ? error
      : new StartupError(`mongod does not start on ${dbPath}: ${firstLine(error)}`);
  });
  let stopping = false;
  const lost = new Promise<void>((resolve) => {
    server.instanceInfo?.instance.once(library.MongoInstanceEvents.instanceClosed, () => {
      if (!stopping) resolve();
    });
  });
  return {
    url: users.urlOf(ADMIN, port),
    urlOf: (service) => users.urlOf(service, port),
    lost,
    stop: async () => {
      stopping = true;
      await stop();
    },
  };
}

function serverOptions(binary: MongodBinary | undefined, port: number, dbPath: string, users: MongodUsers) {
  return {
    ...(binary === undefined ? {} : { binary: { systemBinary: binary.path, version: binary.version } }),
    instance: {
      port,
      portGeneration: false,
      dbPath,
      replSet: SET,
      storageEngine: "wiredTiger" as const,
      keyfileLocation: users.keyfile,
      // No service sends JavaScript to the server: `$where`, `$function` and `mapReduce` are refused.
      args: ["--wiredTigerCacheSizeGB", "0.25", "--noscripting"],
    },
    // As whom the library may end it.
    auth: { enable: true, customRootName: ADMIN, customRootPwd: users.passwordOf(ADMIN) },
    // A process group of its own: Ctrl-C in a terminal must not end it before the requests are drained.
    spawn: { detached: true, env: basicEnvironment() },
  };
}

/** By which a service's user reaches the mongod that another process runs on this folder now; undefined when none does. */
export async function runningMongod(directory: string, service: ServiceName): Promise<string | undefined> {
  const pid = await mongodHolding(join(directory, "mongodb"));
  if (pid === undefined) return undefined;
  return (await mongodUsers(directory)).urlOf(service, await portOfLastStart(directory));
}

/** An optional package: a production image has none of it, and needs none. */
async function mongodLibrary() {
  try {
    const { MongoMemoryServer } = await import("mongodb-memory-server-core");
    const { MongoInstanceEvents } = await import("mongodb-memory-server-core/lib/util/MongoInstance.js");
    return { MongoMemoryServer, MongoInstanceEvents };
  } catch {
    throw new StartupError("No mongod here: install with `npm ci`, or set MONGO_URL to a MongoDB replica set");
  }
}

/** The library prints whole errors to the console beside throwing them; a start has one line for each. */
async function silently<T>(start: () => Promise<T>): Promise<T> {
  const { warn } = console;
  console.warn = () => undefined;
  try {
    return await start();
  } finally {
    console.warn = warn;
  }
}

async function makeFolder(dbPath: string): Promise<void> {
  await makeDataFolder(dbPath);
  const { bavail, bsize } = await statfs(dbPath);
  if (bavail * bsize < LEAST_FREE_BYTES) {
    throw new StartupError(`The disk is full: ${dbPath} has less than 500 MiB left, which mongod needs to start`);
  }
}

/** Waits until no mongod holds the data any more. */
async function predecessorGone(dbPath: string): Promise<void> {
  const deadline = Date.now() + WAIT_FOR_PREDECESSOR_MS;
  for (;;) {
    const pid = await mongodHolding(dbPath);
    if (pid === undefined) return;
    if (Date.now() > deadline) throw new StartupError(`${dbPath} is in use by another mongod (process ${pid})`);
    await new Promise((wake) => setTimeout(wake, 100));
  }
}

/** mongod writes its process id into its lock file, and empties the file when it ends in order. */
async function mongodHolding(dbPath: string): Promise<number | undefined> {
  const pid = Number(await readFile(join(dbPath, "mongod.lock"), "utf8").catch(() => ""));
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  const command = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "");
  return command.trim() === "mongod" ? pid : undefined;
}

/** The replica set remembers its member's address: the port of the first start is kept, while it is free. */
async function keptPort(directory: string): Promise<number> {
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
