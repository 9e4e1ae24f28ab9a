import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The project's own folder; an older version of it may lie in another one. */
export const PROJECT = dirname(dirname(import.meta.dirname));
const { scripts } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as {
  readonly scripts: { readonly start: string };
};
/** Node's own, as `npm start` has them. */
const FLAGS = scripts.start.split(" ").filter((word) => word.startsWith("--"));
const PATIENCE_MS = 40_000;

/** guildcal, started as a user starts it, in a process of its own. */
export class Launched {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #output = "";

  /** `env` replaces the settings of this test run; PATH stays. */
  constructor(mode: string, env: Readonly<Record<string, string>>, project = PROJECT) {
    this.#child = spawn(process.execPath, [...FLAGS, join(project, "services/launch/start.js"), mode], {
      env: { PATH: process.env["PATH"], ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child.stdout?.on("data", (chunk: Buffer) => (this.#output += chunk.toString()));
    this.#child.stderr?.on("data", (chunk: Buffer) => (this.#output += chunk.toString()));
    this.#ended = once(this.#child, "close").then(([code]) => code as number | null);
  }

  /** All that it printed, both streams in the order of arrival. */
  get output(): string {
    return this.#output;
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Resolves when it has ended, by itself or not. */
  get ended(): Promise<unknown> {
    return this.#ended;
  }

  /** Waits until it has printed something that matches; rejects when it ends first or takes too long. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const match = pattern.exec(this.#output);
      if (match !== null) return match;
      if (this.#child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`never printed ${String(pattern)}:\n${this.#output}`);
      }
      await new Promise((wake) => setTimeout(wake, 20));
    }
  }

  /** Ends it by the signal and gives its exit code; null when the signal killed it. */
  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill(signal);
    return this.#ended;
  }

  /** The exit code of one that ends by itself. */
  async exitCode(): Promise<number | null> {
    const late = setTimeout(() => this.#child.kill("SIGKILL"), PATIENCE_MS);
    const code = await this.#ended;
    clearTimeout(late);
    return code;
  }
}

/** Posts a request as a client does. */
export async function post(baseUrl: string, key: string, path: string, body: object): Promise<Answer> {
  const response = await fetch(`${baseUrl}${path}`, {
    method: "POST",
    headers: { Authorization: key, "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  });
  const { status, headers } = response;
  return { status, headers, body: (await response.json()) as Record<string, unknown> };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}
