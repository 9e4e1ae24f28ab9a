import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { DRAIN_MS } from "../../../moleculer.config.ts";
import { StartupError } from "./startup-error.ts";
import type { ServiceName } from "../../contracts/service-names.ts";

/** One process for each service; a process that ends unexpectedly is restarted. */
export interface SupervisedProcesses {
  /** Process id of a service now; for fault tests. */
  pid(service: string): number | undefined;
  /** Stops the processes in the given order, one after the other. */
  stop(): Promise<void>;
}

/** Whether a supervisor has started this process, as `npm run start:nats` does; not so in a container. */
export function isSupervised(): boolean {
  return process.send !== undefined;
}

const FIRST_RESTART_MS = 500;
const LAST_RESTART_MS = 10_000;
/** After this uptime the restart delay is reset to the first one. */
const STABLE_UPTIME_MS = 10_000;

/**
 * Starts each service in a process of its own. Resolves when all processes are ready. If one ends before, it has printed
 * the reason; all others are stopped, and the call rejects.
 */
export async function supervise(
  services: readonly ServiceName[],
  envOf: (service: ServiceName) => Readonly<Record<string, string | undefined>>,
  onMessage: (service: ServiceName, message: unknown) => void = () => undefined,
): Promise<SupervisedProcesses> {
  const processes = services.map(
    (service) => new SupervisedProcess(service, envOf(service), (message) => onMessage(service, message)),
  );
  try {
    await Promise.all(processes.map((each) => each.start()));
  } catch (error) {
    await Promise.all(processes.map((each) => each.stop()));
    throw error;
  }
  return {
    pid: (service) => processes.find((each) => each.service === service)?.pid,
    async stop() {
      for (const each of processes) await each.stop();
    },
  };
}

/** The message of a process when its service is ready for calls. */
export const READY = "ready";

/** The process of one service, and its restarts. */
class SupervisedProcess {
  readonly service: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #onMessage: (message: unknown) => void;
  #child: ChildProcess | undefined;
  #restart: NodeJS.Timeout | undefined;
  #delay = FIRST_RESTART_MS;
  #stopping = false;

  constructor(
    service: string,
    env: Readonly<Record<string, string | undefined>>,
    onMessage: (message: unknown) => void,
  ) {
    this.service = service;
    this.#env = env;
    this.#onMessage = onMessage;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const child = this.#spawn();
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    child.on("message", (message) => {
      if (message === READY) resolve();
    });
    const failed = once(child, "exit").then(() => {
      throw new StartupError(`The ${this.service} service did not start`);
    });
    await Promise.race([ready, failed]);
    failed.catch(() => undefined);
    child.on("exit", () => this.#restartLater());
    if (child.exitCode !== null) this.#restartLater();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#restart);
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    const force = setTimeout(() => child.kill("SIGKILL"), 2 * DRAIN_MS);
    await exited;
    clearTimeout(force);
  }

  #spawn(): ChildProcess {
    // The child inherits the Node options of the supervisor. Its own process group keeps Ctrl-C away from it: the
    // supervisor stops the services in order.
    this.#child = fork(join(import.meta.dirname, "../start.js"), [this.service], {
      env: { ...this.#env },
      detached: true,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#child.on("message", this.#onMessage);
    return this.#child;
  }

  #restartLater(): void {
    if (this.#stopping) return;
    process.stderr.write(`The ${this.service} service ended unexpectedly; restarting it\n`);
    this.#restart = setTimeout(() => {
      const startedAt = Date.now();
      const child = this.#spawn();
      child.once("exit", () => {
        const isStable = Date.now() - startedAt > STABLE_UPTIME_MS;
        this.#delay = isStable ? FIRST_RESTART_MS : Math.min(2 * this.#delay, LAST_RESTART_MS);
        this.#restartLater();
      });
    }, this.#delay);
  }
}
