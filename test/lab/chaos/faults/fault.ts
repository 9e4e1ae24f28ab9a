import { setTimeout as pause } from "node:timers/promises";
import type { Cluster, ClusterOptions } from "../cluster.ts";
import type { Load, LoadShape } from "../load.ts";
import type { ExpectedPost, SeenMessage, ToldOutcome } from "../verdict.ts";

/** One row of the table: posts that come due while something is broken. */
export interface Fault {
  readonly name: string;
  readonly shape: LoadShape;
  readonly setup?: ClusterOptions;
  /** How long before the first due instant all is planned; a few seconds when absent. */
  readonly leadMs?: number;
  /** From the last due instant until every post has its outcome; half a minute when absent. */
  readonly patienceMs?: number;
  /** Whether it is measured so narrowly that nothing else may run beside it. */
  readonly isAlone?: boolean;
  /** Whether a post may end with a reason in its place. */
  readonly mayEndUnsent?: boolean;
  /** The most requests that the receiver may have to refuse. */
  readonly mostRefused?: number;
  /** Breaks it and mends it. */
  readonly inject: (cluster: Cluster, load: Load) => Promise<Injected>;
  /** What else must hold: a sentence for each thing that does not. */
  readonly check?: (run: FinishedRun) => readonly string[];
  /** The same with guards taken out, which must fail; or why there is no such run. */
  readonly control: Control | string;
}

export interface Control {
  /** What is taken out. */
  readonly name: string;
  readonly setup: ClusterOptions;
}

export interface Injected {
  readonly times: number;
  /** How late a post may be seen; any lateness when absent. */
  readonly latestMs?: number;
}

/** A run when every post has its outcome, or the patience is over. */
export interface FinishedRun {
  readonly cluster: Cluster;
  readonly expected: readonly ExpectedPost[];
  readonly seen: readonly SeenMessage[];
  readonly told: readonly ToldOutcome[];
}

/** A control that only takes guards out of dispatch. */
export function without(...names: readonly string[]): Control {
  return { name: names.join("; "), setup: { without: names } };
}

/** The receiver drops no double. */
export const WITHOUT_NONCES: Control = { name: "the receiver knows a nonce", setup: { nonceWindowMs: 0 } };

export const SOME: LoadShape = { guilds: 4, announcements: 5, events: 5, spreadMs: 10_000 };

export async function untilInstant(at: number): Promise<void> {
  await pause(Math.max(0, at - Date.now()));
}
