import { type ChildProcess, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { PROJECT } from "./guildcal-process.ts";
import { childrenOf, commandLine } from "./service-process.ts";
import { until } from "./until.ts";

/** `npm run demo -- --keep` takes half a minute without other work, and several times as long beside other tests. */
const START_TIMEOUT_MS = 150_000;

/** An npm script of this project in its own process group, as a terminal starts it. */
export class NpmRun {
  readonly npm: ChildProcess;
  #output = "";

  constructor(args: readonly string[], env: Readonly<Record<string, string>>) {
    this.npm = spawn("npm", args, {
      cwd: PROJECT,
      env: { PATH: process.env["PATH"], HOME: tmpdir(), ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    for (const stream of [this.npm.stdout, this.npm.stderr]) {
      stream?.on("data", (chunk: Buffer) => (this.#output += chunk.toString()));
    }
  }

  get output(): string {
    return this.#output;
  }

  async printed(text: string): Promise<void> {
    const seen = () => {
      if (this.npm.exitCode !== null) throw new Error(`npm ended:\n${this.#output}`);
      return this.#output.includes(text);
    };
    await until(seen, `"${text}" printed`, START_TIMEOUT_MS);
  }

  /** Waits for a mongod below npm; rejects if npm ends before. */
  async startsMongod(): Promise<void> {
    const seen = async () => {
      if (this.npm.exitCode !== null) throw new Error(`npm ended:\n${this.#output}`);
      return (await this.running("mongod")).length === 1;
    };
    await until(seen, "a mongod", START_TIMEOUT_MS);
  }

  /** The npm process and all its descendants. */
  async processes(): Promise<number[]> {
    return descendants(this.npm.pid as number);
  }

  /** The descendants of npm that run the program. */
  async running(program: string): Promise<number[]> {
    const pids = await this.processes();
    const lines = await Promise.all(pids.map((pid) => commandLine(pid).catch(() => [""])));
    return pids.filter((_, at) => lines[at]?.[0]?.endsWith(program) === true);
  }
}

async function descendants(pid: number): Promise<number[]> {
  const below = await Promise.all((await childrenOf(pid)).map(descendants));
  return [pid, ...below.flat()];
}
