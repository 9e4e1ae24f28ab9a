import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { SeenChange } from "./changes-verdict.ts";
import { type ReaderTask, type ReadPage, type Way, WAYS } from "./reader-process.ts";

/** What was read in a guild, in each way, and the token to go on from. */
interface Reading {
  readonly key: string;
  readonly seen: Record<Way, SeenChange[]>;
  readonly tokens: Partial<Record<Way, string>>;
}

/** A process that reads the changes of guilds, and can be killed. It goes on from the token of the last page that arrived. */
export class KilledReader {
  readonly #baseUrl: string;
  readonly #readings: ReadonlyMap<string, Reading>;
  #child: ChildProcess;

  constructor(baseUrl: string, guilds: readonly { readonly guildId: string; readonly key: string }[]) {
    this.#baseUrl = baseUrl;
    this.#readings = new Map(guilds.map(({ guildId, key }) => [guildId, { key, seen: empty(), tokens: {} }]));
    this.#child = this.#start();
  }

  seen(guildId: string, way: Way): readonly SeenChange[] {
    return this.#readings.get(guildId)?.seen[way] ?? [];
  }

  /** Kills the process with SIGKILL, and starts another one when all that it has sent is here. */
  async kill(): Promise<void> {
    await this.#end();
    this.#child = this.#start();
  }

  async stop(): Promise<void> {
    if (this.#child.connected) await this.#end();
  }

  /** Throws if the process has ended before, since it would have read nothing meanwhile. */
  async #end(): Promise<void> {
    if (!this.#child.connected) throw new Error("the reader has ended without being killed");
    const disconnected = once(this.#child, "disconnect");
    this.#child.kill("SIGKILL");
    await disconnected;
  }

  #start(): ChildProcess {
    const child = fork(join(import.meta.dirname, "reader-process.ts"), [], {
      execArgv: ["--disable-proto=delete"],
      stdio: "inherit",
    });
    child.on("message", (page: ReadPage) => this.#store(page));
    const guilds = [...this.#readings].map(([guildId, { key, tokens }]) => ({ guildId, key, tokens }));
    child.send({ baseUrl: this.#baseUrl, guilds } satisfies ReaderTask);
    return child;
  }

  #store({ guildId, way, changes, syncToken }: ReadPage): void {
    const reading = this.#readings.get(guildId);
    if (reading === undefined) throw new Error(`no guild ${guildId} is read`);
    reading.seen[way].push(...changes);
    reading.tokens[way] = syncToken;
  }
}

function empty(): Record<Way, SeenChange[]> {
  return Object.fromEntries(WAYS.map((way) => [way, [] as SeenChange[]])) as Record<Way, SeenChange[]>;
}
