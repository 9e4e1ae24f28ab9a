import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

export interface NodeProcessOptions {
  readonly script: string;
  readonly args?: readonly string[];
  /** Options of Node. */
  readonly flags?: readonly string[];
  /** All environment variables except PATH. */
  readonly env?: Readonly<Record<string, string>>;
  /** The processor on which the process runs; by default the kernel chooses. */
  readonly processor?: number;
  /** Whether the process can exchange messages with this one. */
  readonly hasChannel?: boolean;
}

/** Time for a line of the output, or for the end of the process: a start takes twenty times as long on a busy machine. */
const TIMEOUT_MS = 120_000;

/** A script in its own process, with the Node of this process. */
export class NodeProcess {
  readonly child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #output = "";

  constructor({ script, args = [], flags = [], env = {}, processor, hasChannel = false }: NodeProcessOptions) {
    const pinned = processor === undefined ? [] : ["taskset", "-c", String(processor)];
    const [command, ...words] = [...pinned, process.execPath, ...flags, script, ...args] as [string, ...string[]];
    this.child = spawn(command, words, {
      env: { PATH: process.env["PATH"], ...env },
      stdio: ["ignore", "pipe", "pipe", ...(hasChannel ? (["ipc"] as const) : [])],
      serialization: "advanced",
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on("data", (chunk: Buffer) => (this.#output += chunk.toString()));
    }
    this.#ended = once(this.child, "close").then(([code]) => code as number | null);
  }

  /** The output of both streams, in the order of arrival. */
  get output(): string {
    return this.#output;
  }

  get pid(): number {
    return this.child.pid as number;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Resolves when the process has ended for any reason. */
  get ended(): Promise<unknown> {
    return this.#ended;
  }

  /** Waits until the output matches; rejects if the process ends before, or after a timeout. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      const match = pattern.exec(this.#output);
      if (match !== null) return match;
      if (this.child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`never printed ${String(pattern)}:\n${this.#output}`);
      }
      await new Promise((wake) => setTimeout(wake, 20));
    }
  }

  /** Sends a signal, and resolves with the exit code; null if the signal killed the process. */
  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    if (!this.hasEnded) this.child.kill(signal);
    return this.#ended;
  }

  /** The exit code of a process that ends without a signal. */
  async exitCode(): Promise<number | null> {
    const late = setTimeout(() => this.child.kill("SIGKILL"), TIMEOUT_MS);
    const code = await this.#ended;
    clearTimeout(late);
    return code;
  }
}
