import type { ChildProcess } from "node:child_process";
import type { Post } from "./asker.ts";

/** The service under attack. */
export interface Target {
  /** Of the gateway, on 127.0.0.1. */
  readonly port: number;
  /** Processes whose memory is measured together with all their descendants. */
  readonly pids: () => readonly number[];
  /** What the service and its processes have logged. */
  readonly output: () => string;
  stop(): Promise<void>;
}

/** What an attack works with. */
export interface Stage {
  readonly target: Target;
  readonly operatorKey: string;
  /** Processes that may each be given a load of connections. */
  readonly attackers: readonly ChildProcess[];
  /** Posts a request; at most 64 at a time, further ones wait. */
  readonly post: Post;
  /** Posts a request of the operator's, and gives the answer's body; rejects unless it is answered with 200. */
  readonly ask: <Body>(path: string, body: object) => Promise<Body>;
  /** Creates a key of kind `guild` for one guild. */
  readonly createKey: (guildId: string) => Promise<string>;
}

/** One attack, measured beside a neighbour: a guild that only does what it always does. */
export interface HostileRow {
  readonly name: string;
  /** Environment variables of the service, beside PORT, DATA_DIR and API_KEY. */
  readonly settings?: Readonly<Record<string, string>>;
  /** How long after the beginning of the attack the neighbour's first post comes due, in milliseconds; 0 when absent. */
  readonly postsAfterMs?: number;
  /** How long the neighbour is measured beside the attack, in milliseconds; at most 120 000. */
  readonly attackMs: number;
  /** Starts something else than `npm start` does; `env` holds API_KEY and, for a control, NODE_OPTIONS. */
  readonly start?: (env: Readonly<Record<string, string>>) => Promise<Target>;
  /** Prepares the attack, before anything is measured. */
  readonly prepare?: (stage: Stage) => Promise<void>;
  /** Attacks, and returns when `signal` is aborted, after `attackMs`, or earlier. */
  readonly attack: (stage: Stage, signal: AbortSignal) => Promise<void>;
  /** What else must hold after the attack: a sentence for each thing that does not. */
  readonly check?: (stage: Stage) => Promise<readonly string[]>;
  /** The negative control: without these guards (test/lab/mutations) the row must fail. */
  readonly control: { readonly name: string; readonly without: readonly string[] };
}
