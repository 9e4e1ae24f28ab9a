import type { ClusterOptions } from "../cluster.ts";
import { WITHOUT_NONCES, without } from "../faults/fault.ts";
import type { Schedule } from "./written-guild.ts";

/** A run of `test:chaos` whose posts, skips and edits are compared with what the acknowledged writes demand. */
export interface DemandsRow extends DemandsSize {
  readonly name: string;
  /** Runs without a guard, each of which must break the promise named. */
  readonly controls: readonly DemandsControl[];
}

export interface DemandsSize extends Pick<Schedule, "scale"> {
  readonly guilds: number;
  /** Whether processes are killed. */
  readonly isKilled: boolean;
}

export interface DemandsControl extends DemandsSize {
  readonly name: string;
  readonly setup: ClusterOptions;
  /** A part of the sentence of a promise that must be broken. */
  readonly breaks: string;
}

const SMALL = { guilds: 4, scale: 0.5 };

export const DEMANDS_ROWS: readonly DemandsRow[] = [
  {
    name: "offsets, pauses, digests, edits and deletions, with kills of everything",
    guilds: 6,
    scale: 1,
    isKilled: true,
    controls: [
      { ...SMALL, ...WITHOUT_NONCES, isKilled: true, breaks: "doubled" },
      {
        ...SMALL,
        ...without("a post that is due during a pause is skipped"),
        isKilled: false,
        breaks: "against a pause",
      },
      {
        ...SMALL,
        ...without("a message that somebody deleted is not edited again"),
        isKilled: false,
        breaks: "edited after they were deleted",
      },
      {
        ...SMALL,
        ...without("a plan makes a step due for each message whose state has changed"),
        isKilled: false,
        breaks: "messages with another state than the last",
      },
      { ...SMALL, ...without("no message is deleted before its instant"), isKilled: false, breaks: "deleted before" },
    ],
  },
];
