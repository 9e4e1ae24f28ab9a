import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { DRAIN_MS } from "../../moleculer.config.ts";
import { StartupError } from "./startup-error.ts";
import type { ServiceName } from "../contracts/service-names.ts";

/** One process a service, each started again when it ends by itself. */
export interface SupervisedProcesses {
  /** Process id of a service now; for fault tests. */
  pid(service: string): number | undefined;
  /** Ends them in the given order, one after the other. */
  stop(): Promise<void>;
}

/** Whether a supervisor has started this process, as `npm run start:nats` does; a container's has none. */
export function isSupervised(): boolean {
  return process.send !== undefined;
}

const FIRST_RESTART_MS = 500;
const LAST_RESTART_MS = 10_000;
/** A process that lived this long has started well: its next restart is quick again. */
const STEADY_MS = 10_000;

/**
 * Starts each service in a process of its own, the last of the list first, and resolves when all of them said that
 * they are ready. A process that ends before it was ever ready has printed why: then none is kept.
 */
export async function supervise(
  services: readonly ServiceName[],
  envOf: (service: ServiceName) => Readonly<Record<string, string | undefined>>,
): Promise<SupervisedProcesses> {
  const wards = services.map((service) => new SupervisedProcess(service, envOf(service)));
  try {
    await Promise.all(wards.map((ward) => ward.start()));
  } catch (error) {
    await Promise.all(wards.map((ward) => ward.stop()));
    throw error;
  }
  return {
    pid: (service) => wards.find((ward) => ward.service === service)?.pid,
    async stop() {
      for (const ward of wards) await ward.stop();
    },
  };
}

/** One service's process, and its successors. */
class SupervisedProcess {
  readonly service: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  #child: ChildProcess | undefined;
  #restart: NodeJS.Timeout | undefined;
  #delay = FIRST_RESTART_MS;
  #stopping = false;

  constructor(service: string, env: Readonly<Record<string, string | undefined>>) {
    this.service = service;
    this.#env = env;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const child = this.#spawn();
    const ready = once(child, "message");
    const ended = once(child, "exit").then(() => {
      throw new StartupError(`The ${this.service} service did not start`);
    });
    await Promise.race([ready, ended]);
    ended.catch(() => undefined);
    child.on("exit", () => this.#startAgain());
    if (child.exitCode !== null) this.#startAgain();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#restart);
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    const force = setTimeout(() => child.kill("SIGKILL"), 2 * DRAIN_MS);
    await gone;
    clearTimeout(force);
  }

  #spawn(): ChildProcess {
    // The child inherits the supervisor's options of Node. It has a process group of its own: Ctrl-C in a terminal reaches
    // the supervisor alone, which ends the services in order.
    this.#child = fork(join(import.meta.dirname, "start.js"), [this.service], {
      env: { ...this.#env },
      detached: true,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    return this.#child;
  }

  #startAgain(): void {
    if (this.#stopping) return;
    process.stderr.write(`The ${this.service} service ended by itself; starting it again\n`);
    this.#restart = setTimeout(() => {
      const born = Date.now();
      const child = this.#spawn();
      child.once("exit", () => {
        const steady = Date.now() - born > STEADY_MS;
        this.#delay = steady ? FIRST_RESTART_MS : Math.min(2 * this.#delay, LAST_RESTART_MS);
        this.#startAgain();
      });
    }, this.#delay);
  }
}
