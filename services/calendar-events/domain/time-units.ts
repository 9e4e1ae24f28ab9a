import type { EpochMs } from "../../contracts/ids.ts";

/** Time is counted in units of 65 s: 2^32 of them reach beyond the last instant. */
export const UNIT_MS = 2 ** 16;
export const LAST_UNIT = 2 ** 32 - 1;

/** The unit that an instant is in. */
export function unitOf(at: EpochMs): number {
  return Math.min(Math.max(Math.floor(at / UNIT_MS), 0), LAST_UNIT);
}
