import type { ChildProcess } from "node:child_process";
import type { Post } from "./post-client.ts";

/** The service under attack. */
export interface Target {
  /** The port of the gateway, on 127.0.0.1. */
  readonly port: number;
  /** Processes whose memory is measured together with all their descendants. */
  readonly pids: () => readonly number[];
  /** The logs of the service's processes. */
  readonly output: () => string;
  stop(): Promise<void>;
}

/** The tools of an attack. */
export interface Stage {
  readonly target: Target;
  readonly operatorKey: string;
  /** Processes that each can run one load of connections. */
  readonly attackers: readonly ChildProcess[];
  /** Sends a POST request. At most 64 are in flight; further ones wait. */
  readonly post: Post;
  /** Sends a POST request with the operator's key; resolves with the body, and rejects unless the status is 200. */
  readonly ask: <Body>(path: string, body: object) => Promise<Body>;
  /** Creates a key of kind `guild` for one guild. */
  readonly createKey: (guildId: string) => Promise<string>;
}

/** One attack, measured beside a neighbour: a guild with a usual load. */
export interface HostileRow {
  readonly name: string;
  /** Environment variables of the service, beside PORT, DATA_DIR and API_KEY. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Time from the start of the attack to the neighbour's first due post, in milliseconds; 0 by default. */
  readonly postsAfterMs?: number;
  /** Duration of the measurement during the attack, in milliseconds; at most 120 000. */
  readonly attackMs: number;
  /** Starts the service in another way than `npm start`; `env` contains API_KEY and, for a control, NODE_OPTIONS. */
  readonly start?: (env: Readonly<Record<string, string>>) => Promise<Target>;
  /** Prepares the attack before the measurements. */
  readonly prepare?: (stage: Stage) => Promise<void>;
  /** Attacks, and returns when `signal` is aborted, after `attackMs`, or earlier. */
  readonly attack: (stage: Stage, signal: AbortSignal) => Promise<void>;
  /** Checks further promises after the attack; returns a sentence for each that was broken. */
  readonly check?: (stage: Stage) => Promise<readonly string[]>;
  /** The negative control: without these guards (test/lab/mutations) the row must fail. */
  readonly control: { readonly name: string; readonly without: readonly string[] };
}
