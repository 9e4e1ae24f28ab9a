import { join } from "node:path";
import type { NodeProcess, NodeProcessOptions } from "../../../real-parts/node-process.ts";
import type { Held, Usage } from "./report-usage.ts";

const REPORT = join(import.meta.dirname, "report-usage.ts");

/** The options of a process that reports its usage, on a processor, and leaves a CPU profile in a folder when it ends. */
export function measuredOn(
  processor: number,
  profile?: string,
): Required<Pick<NodeProcessOptions, "processor" | "hasChannel" | "flags">> {
  const profiling = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
  return { processor, hasChannel: true, flags: [`--import=${REPORT}`, ...profiling] };
}

/** A process that answers questions about its usage. It was started with the options of `measuredOn`. */
export class MeasuredProcess {
  readonly #process: NodeProcess;
  #onAnswer: (answer: unknown) => void = () => undefined;
  #onEnd: (error: Error) => void = () => undefined;

  constructor(process: NodeProcess) {
    this.#process = process;
    process.child.on("message", (answer) => this.#onAnswer(answer));
    void process.ended.then(() => this.#onEnd(this.#hasEnded()));
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Sends a message and resolves with the next one that comes back; one question at a time. */
  async ask<Answer>(message: unknown): Promise<Answer> {
    this.check();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#onAnswer = resolve as (answer: unknown) => void;
    this.#onEnd = reject;
    this.#process.child.send(message as never);
    return promise;
  }

  usage(): Promise<Usage> {
    return this.ask("usage");
  }

  /** Collects garbage first: not for a process that is being measured. */
  held(): Promise<Held> {
    return this.ask("held");
  }

  /** Throws what it printed when it has ended. */
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
