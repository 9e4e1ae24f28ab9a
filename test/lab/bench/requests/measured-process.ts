import { join } from "node:path";
import type { NodeProcess, NodeProcessOptions } from "../../../harness/node-process.ts";
import type { Held, Usage } from "./report-usage.ts";

const REPORT = join(import.meta.dirname, "report-usage.ts");

/** The options of a process that runs on a given processor, reports its usage, and writes a CPU profile when it ends. */
export function measuredOn(
  processor: number,
  profile?: string,
): Required<Pick<NodeProcessOptions, "processor" | "hasChannel" | "flags">> {
  const profiling = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
  return { processor, hasChannel: true, flags: [`--import=${REPORT}`, ...profiling] };
}

/** A process that reports its usage. It was started with the options of `measuredOn`. */
export class MeasuredProcess {
  readonly #process: NodeProcess;
  #onResponse: (response: unknown) => void = () => undefined;
  #onEnd: (error: Error) => void = () => undefined;

  constructor(process: NodeProcess) {
    this.#process = process;
    process.child.on("message", (response) => this.#onResponse(response));
    void process.ended.then(() => this.#onEnd(this.#hasEnded()));
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Sends a message and resolves with the next reply; one message at a time. */
  async ask<Reply>(message: unknown): Promise<Reply> {
    this.check();
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    this.#onResponse = resolve as (response: unknown) => void;
    this.#onEnd = reject;
    this.#process.child.send(message as never);
    return promise;
  }

  usage(): Promise<Usage> {
    return this.ask("usage");
  }

  /** The held memory, after a garbage collection; not for use during a measurement. */
  held(): Promise<Held> {
    return this.ask("held");
  }

  /** Throws the output of the process if it has ended. */
  check(): void {
    if (this.#process.hasEnded) throw this.#hasEnded();
  }

  async stop(): Promise<void> {
    await this.#process.end();
  }

  #hasEnded(): Error {
    return new Error(`a process of the bench has ended: ${this.#process.output}`);
  }
}
