import { setTimeout as pause } from "node:timers/promises";
import type { Cluster, ClusterOptions } from "../cluster.ts";
import type { Load, LoadShape } from "../load.ts";
import type { ExpectedPost, SeenMessage, PostOutcome } from "../verdict.ts";

/** One row of the table: a fault that is injected while posts come due. */
export interface Fault {
  readonly name: string;
  readonly shape: LoadShape;
  readonly setup?: ClusterOptions;
  /** Time from the end of planning to the first due instant; a few seconds by default. */
  readonly leadMs?: number;
  /** Time from the last due instant until every post has its outcome; half a minute by default. */
  readonly patienceMs?: number;
  /** Whether nothing else may run at the same time, since the limits are narrow. */
  readonly isAlone?: boolean;
  /** Whether a post may stay unsent, with a reason in the history. */
  readonly mayEndUnsent?: boolean;
  /** Maximum number of requests that the receiver refuses. */
  readonly maxRefused?: number;
  /** Injects the fault, and repairs it. */
  readonly inject: (cluster: Cluster, load: Load) => Promise<Injected>;
  /** Checks further promises; returns a sentence for each that was broken. */
  readonly check?: (run: FinishedRun) => readonly string[];
  /** The same fault without some guards, which must break the promise; or the reason why there is no such run. */
  readonly control: Control | string;
}

export interface Control {
  /** The guards that are removed. */
  readonly name: string;
  readonly setup: ClusterOptions;
}

export interface Injected {
  readonly times: number;
  /** Maximum lateness of a message; unlimited by default. */
  readonly latestMs?: number;
}

/** A run in which every post has its outcome, or the patience has ended. */
export interface FinishedRun {
  readonly cluster: Cluster;
  readonly expected: readonly ExpectedPost[];
  readonly seen: readonly SeenMessage[];
  readonly outcomes: readonly PostOutcome[];
}

/** A control that removes guards from dispatch. */
export function without(...names: readonly string[]): Control {
  return { name: names.join("; "), setup: { without: names } };
}

/** A control whose receiver drops no double. */
export const WITHOUT_NONCES: Control = { name: "the receiver recognizes a nonce", setup: { nonceWindowMs: 0 } };

export const SOME: LoadShape = { guilds: 4, announcements: 5, events: 5, spreadMs: 10_000 };

export async function untilInstant(at: number): Promise<void> {
  await pause(Math.max(0, at - Date.now()));
}
