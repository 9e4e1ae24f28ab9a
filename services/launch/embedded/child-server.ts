import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { pollUntil } from "../poll-until.ts";

/** A server program that this process started. The program ends at most a few seconds after this process. */
export interface ChildServer {
  /** Resolves when the program has ended, for any reason. */
  readonly exited: Promise<void>;
  /** Sends a signal that does not end the program; does nothing if the program has ended. */
  signal(name: NodeJS.Signals): void;
  /** Sends a signal that ends the program, and waits for its end; for fault tests. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Sends SIGTERM, then SIGKILL after 5 s. */
  stop(): Promise<void>;
}

/** A server program and its port on loopback. */
export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** The complete environment of the program; the program inherits nothing. */
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  /** Receives each line of the standard output. Without it the output is discarded. */
  readonly onLine?: (line: string) => void;
}

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 5_000;

/** Starts a server. Resolves when it accepts connections; rejects if it ends first, or after 30 s. */
export async function startChildServer({ program, args, env, port, onLine }: ServerCommand): Promise<ChildServer> {
  const child = spawnWithWatcher(program, args, { ...env }, onLine === undefined ? "ignore" : "pipe");
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  if (child.stdout !== null && onLine !== undefined) createInterface(child.stdout).on("line", onLine);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const kill = async (signal: NodeJS.Signals) => {
    if (!hasEnded()) child.kill(signal);
    await exited;
  };
  try {
    await once(child, "spawn");
    await waitUntilListening(port, hasEnded);
  } catch (error) {
    if (child.pid !== undefined) await kill("SIGKILL");
    throw error;
  }
  return {
    exited,
    signal(name) {
      if (!hasEnded()) child.kill(name);
    },
    kill,
    async stop() {
      const force = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
      await kill("SIGTERM");
      clearTimeout(force);
    },
  };
}

/**
 * A shell script that starts a watcher and then becomes the program. The watcher reads from a pipe, file descriptor 3. The
 * kernel closes the pipe when this process ends in any way; then the watcher ends the program. The watcher starts first, so
 * the program never runs without it. A line on the pipe says that the program has ended; then the watcher ends without a
 * signal, because another process may have the pid of the program by then. The watcher gets an empty environment.
 */
const PROGRAM_AND_WATCHER = `
env -i /bin/sh -c 'read -r line && exit; kill "$0"; sleep 5; kill -9 "$0"' "$$" <&3 >/dev/null 2>&1 &
exec 3<&-
exec "$@"`;

/** Starts a program that ends when this process ends, also by kill -9. */
export function spawnWithWatcher(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
  stdout: "ignore" | "pipe" = "ignore",
): ChildProcess {
  // A process group of its own keeps Ctrl-C in a terminal from ending the program before the services are drained.
  const child = spawn("/bin/sh", ["-c", PROGRAM_AND_WATCHER, "sh", program, ...args], {
    env,
    stdio: ["ignore", stdout, "ignore", "pipe"],
    detached: true,
  });
  const watched = child.stdio[3] as Socket;
  watched.unref();
  watched.on("error", () => undefined);
  child.once("exit", () => watched.end("ended\n"));
  return child;
}

async function waitUntilListening(port: number, hasEnded: () => boolean): Promise<void> {
  const attempt = async () => {
    if (await accepts(port)) return true;
    if (hasEnded()) throw new Error("it ended");
    return false;
  };
  const timeoutError = () => new Error(`no response on port ${port}`);
  await pollUntil(attempt, { everyMs: 20, timeoutMs: START_TIMEOUT_MS, timeoutError });
}

/** Whether a server on loopback accepts connections. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
