import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

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

/** A server program. */
export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** The complete environment of the program; the program inherits nothing. */
  readonly env: Readonly<Record<string, string>>;
  /** Receives each line of the program's output, including its last ones if it does not start. */
  readonly onLine: (line: string) => void;
  /** Whether this line of the output says that the program accepts connections. */
  readonly isReady: (line: string) => boolean;
}

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 5_000;

/**
 * Starts a server. Resolves when the server says that it accepts connections; rejects if it ends first, or after 30 s. A
 * connection to its port would prove nothing: another server may have taken the port a moment earlier.
 */
export async function startChildServer({ program, args, env, onLine, isReady }: ServerCommand): Promise<ChildServer> {
  const child = spawnWithWatcher(program, args, { ...env }, "pipe");
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const kill = async (signal: NodeJS.Signals) => {
    if (!hasEnded()) child.kill(signal);
    await exited;
  };
  try {
    await untilReady(child, { onLine, isReady });
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
  output: "ignore" | "pipe" = "ignore",
): ChildProcess {
  // A process group of its own keeps Ctrl-C in a terminal from ending the program before the services are drained.
  const child = spawn("/bin/sh", ["-c", PROGRAM_AND_WATCHER, "sh", program, ...args], {
    env,
    stdio: ["ignore", output, output, "pipe"],
    detached: true,
  });
  const watched = child.stdio[3] as Socket;
  watched.unref();
  watched.on("error", () => undefined);
  child.once("exit", () => watched.end("ended\n"));
  return child;
}

/** Gives the lines of the output to `onLine` until the program ends. Resolves with the first line that `isReady`. */
function untilReady(
  child: ChildProcess,
  { onLine, isReady }: Pick<ServerCommand, "onLine" | "isReady">,
): Promise<void> {
  return new Promise((resolve, reject) => {
    AbortSignal.timeout(START_TIMEOUT_MS).addEventListener("abort", () =>
      reject(new Error("it is not ready after 30 s")),
    );
    child.once("error", reject);
    // Unlike `exit`, `close` comes after the last line of the output, which says why the program ended.
    child.once("close", () => reject(new Error("it ended")));
    for (const output of [child.stdout, child.stderr]) {
      createInterface(output as Readable).on("line", (line) => {
        onLine(line);
        if (isReady(line)) resolve();
      });
    }
  });
}
