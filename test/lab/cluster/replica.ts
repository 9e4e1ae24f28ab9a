import { once } from "node:events";
import { GuildcalProcess } from "../../harness/guildcal-process.ts";
import { until } from "../../harness/until.ts";

export interface ReplicaOptions {
  readonly service: string;
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly probePort: number;
  /** The port of the HTTP API, for a gateway. */
  readonly port: number;
  /** The folder of the version that it runs; by default this project. */
  readonly project?: string | undefined;
}

const START_TIMEOUT_MS = 120_000;
const PROBE_TIMEOUT_MS = 2_000;
const READY = '{"status":"ready"';

/** A process of one service, as in a container. */
export class Replica {
  readonly service: string;
  readonly name: string;
  readonly port: number;
  readonly probePort: number;
  readonly #probe: string;
  readonly #process: GuildcalProcess;

  constructor({ service, name, env, probePort, port, project }: ReplicaOptions) {
    this.service = service;
    this.name = name;
    this.port = port;
    this.probePort = probePort;
    this.#probe = `http://127.0.0.1:${probePort}/health/ready`;
    const ports = { PROBE_PORT: String(probePort), PORT: String(port) };
    this.#process = new GuildcalProcess(service, { ...env, ...ports, NODE_NAME: name }, project);
  }

  get hasEnded(): boolean {
    return this.#process.hasEnded;
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** The log of the process. */
  get output(): string {
    return this.#process.output;
  }

  /** Whether the readiness probe succeeds. */
  async isReady(): Promise<boolean> {
    return (await this.#probeReply()).startsWith(READY);
  }

  /** The body of the probe's response, or the error. */
  #probeReply(): Promise<string> {
    return fetch(this.#probe, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).then(
      (response) => response.text(),
      (error: unknown) => String(error),
    );
  }

  /** Resolves when the replica is ready, or with false when it has ended. */
  async becameReady(): Promise<boolean> {
    const isDecided = async () => this.#process.hasEnded || (await this.isReady());
    await until(isDecided, `${this.service} ${this.name} is ready`, START_TIMEOUT_MS).catch(async (error: unknown) => {
      throw new Error(`${await this.#probeReply()}\n${this.output}`, { cause: error });
    });
    return !this.#process.hasEnded;
  }

  async kill(): Promise<void> {
    await this.#process.end("SIGKILL");
  }

  /** Sends SIGTERM; false if the process took longer than allowed, and was killed. */
  async end(withinMs: number): Promise<boolean> {
    const timeout = once(AbortSignal.timeout(withinMs), "abort").then(() => false);
    const isInTime = await Promise.race([this.#process.end("SIGTERM").then(() => true), timeout]);
    if (!isInTime) await this.kill();
    return isInTime;
  }
}
