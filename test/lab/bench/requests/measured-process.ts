import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Held, Usage } from "./report-usage.ts";

export interface ProcessOptions {
  readonly script: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Of Node. */
  readonly flags?: readonly string[];
  /** The CPU that it runs on, and no other. */
  readonly cpu: number;
  /** Where to leave a CPU profile when it ends. */
  readonly profile?: string | undefined;
}

const HERE = import.meta.dirname;
const REPORT = join(HERE, "report-usage.ts");

/** A process of the bench, on a CPU that it is given, which tells what it uses. */
export class MeasuredProcess {
  readonly #child: ChildProcess;
  #errors = "";
  #answered: (answer: unknown) => void = () => undefined;
  #failed: (error: Error) => void = () => undefined;

  constructor({ script, args = [], env = {}, flags = [], cpu, profile }: ProcessOptions) {
    const profiling = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
    // taskset starts what is named next: here this very node, with the options that follow.
    this.#child = fork(script, [...args], {
      execPath: "taskset",
      execArgv: [
        "-c",
        String(cpu),
        process.execPath,
        "--disable-proto=delete",
        ...flags,
        `--import=${REPORT}`,
        ...profiling,
      ],
      env: { PATH: process.env["PATH"], ...env },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      serialization: "advanced",
    });
    this.#child.stderr?.on("data", (chunk: Buffer) => (this.#errors += chunk.toString()));
    this.#child.on("message", (answer) => this.#answered(answer));
    this.#child.once("exit", () => this.#failed(new Error(`a process of the bench ended: ${this.#errors}`)));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Sends a message and gives the next one that comes back; one question at a time. */
  async ask<Answer>(message: unknown): Promise<Answer> {
    this.check();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#answered = resolve as (answer: unknown) => void;
    this.#failed = reject;
    this.#child.send(message as never);
    return promise;
  }

  usage(): Promise<Usage> {
    return this.ask("usage");
  }

  /** Collects garbage first: not for a process that is being measured. */
  held(): Promise<Held> {
    return this.ask("held");
  }

  /** Whether it has ended by itself; throws what it said. */
  check(): void {
    if (this.#child.exitCode !== null) throw new Error(`a process of the bench ended: ${this.#errors}`);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await ended;
  }
}
