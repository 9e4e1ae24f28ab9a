import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { basicEnvironment } from "./basic-environment.ts";

/** A server program that this process started, and that ends no later than a few seconds after it. */
export interface OwnedProcess {
  /** Settles when it has ended, for whatever reason. */
  readonly gone: Promise<void>;
  /** For fault tests; resolves when the process is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Ends it in order, or by force if that takes too long. */
  stop(): Promise<void>;
}

/** What to start, and where it listens on loopback. */
export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** The whole environment of the process: nothing of this process' own is added. */
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  /** Given each line that the program prints; without it the program has no output. */
  readonly onLine?: (line: string) => void;
}

const START_MS = 30_000;
const STOP_MS = 5_000;

/** Starts a server and resolves when it takes connections; rejects when it ends before, or takes too long. */
export async function startServer({ program, args, env, port, onLine }: ServerCommand): Promise<OwnedProcess> {
  // A process group of its own: Ctrl-C in a terminal must not end it before the services are drained.
  const child = spawn(program, args, {
    env: { ...env },
    stdio: ["ignore", onLine === undefined ? "ignore" : "pipe", "ignore"],
    detached: true,
  });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  if (child.stdout !== null && onLine !== undefined) createInterface(child.stdout).on("line", onLine);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const kill = async (signal: NodeJS.Signals) => {
    if (!hasEnded()) child.kill(signal);
    await gone;
  };
  try {
    await once(child, "spawn");
    endWithThisProcess(child);
    await listening(port, hasEnded);
  } catch (error) {
    if (child.pid !== undefined) await kill("SIGKILL");
    throw error;
  }
  return {
    gone,
    kill,
    async stop() {
      const force = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
      await kill("SIGTERM");
      clearTimeout(force);
    },
  };
}

/** `$0` is the process to end; the input ends when the process that holds its other side does, in whatever way. */
const WATCH = 'read -r line; kill "$0"; sleep 5; kill -9 "$0"';

/** Ends the child when this process has ended, also by kill -9: the kernel then closes the pipe that a watcher reads. */
export function endWithThisProcess(child: ChildProcess): void {
  const watcher = spawn("/bin/sh", ["-c", WATCH, String(child.pid)], {
    env: basicEnvironment(),
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watcher.unref();
  (watcher.stdin as Socket).unref();
  // Another process may have the number of one that has ended.
  child.once("exit", () => watcher.kill("SIGKILL"));
}

async function listening(port: number, hasEnded: () => boolean): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (!(await accepts(port))) {
    if (hasEnded()) throw new Error("it ended");
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
