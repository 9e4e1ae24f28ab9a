import { once } from "node:events";
import { Launched } from "../../real-parts/launched.ts";
import { until } from "../../real-parts/until.ts";

export interface ReplicaOptions {
  readonly service: string;
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly probePort: number;
  /** The gateway's own port. */
  readonly port: number;
  /** The folder of the version that it runs; the project's own when absent. */
  readonly project?: string | undefined;
}

const STARTS_MS = 120_000;
const PROBE_MS = 2_000;
const READY = '{"status":"ready"';

/** One process of one service, as a container runs it. */
export class Replica {
  readonly service: string;
  readonly name: string;
  readonly port: number;
  readonly #probe: string;
  readonly #process: Launched;

  constructor({ service, name, env, probePort, port, project }: ReplicaOptions) {
    this.service = service;
    this.name = name;
    this.port = port;
    this.#probe = `http://127.0.0.1:${probePort}/health/ready`;
    const ports = { PROBE_PORT: String(probePort), PORT: String(port) };
    this.#process = new Launched(service, { ...env, ...ports, NODE_NAME: name }, project);
  }

  get hasEnded(): boolean {
    return this.#process.hasEnded;
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** All that it logged. */
  get output(): string {
    return this.#process.output;
  }

  /** Whether its readiness probe is answered with yes. */
  async isReady(): Promise<boolean> {
    return (await this.#asked()).startsWith(READY);
  }

  /** The probe's answer, or why there is none. */
  #asked(): Promise<string> {
    return fetch(this.#probe, { signal: AbortSignal.timeout(PROBE_MS) }).then(
      (answer) => answer.text(),
      (error: unknown) => String(error),
    );
  }

  /** False when it ended instead. */
  async becameReady(): Promise<boolean> {
    const isDecided = async () => this.#process.hasEnded || (await this.isReady());
    await until(isDecided, `${this.service} ${this.name} is ready`, STARTS_MS).catch(async (error: unknown) => {
      throw new Error(`${await this.#asked()}\n${this.output}`, { cause: error });
    });
    return !this.#process.hasEnded;
  }

  async kill(): Promise<void> {
    await this.#process.end("SIGKILL");
  }

  /** Asks it to end; false when it took longer than it may, and was killed. */
  async end(withinMs: number): Promise<boolean> {
    const impatience = AbortSignal.timeout(withinMs);
    const late = once(impatience, "abort").then(() => false);
    const rejectIfLate = await Promise.race([this.#process.end("SIGTERM").then(() => true), late]);
    if (!rejectIfLate) await this.kill();
    return rejectIfLate;
  }
}
