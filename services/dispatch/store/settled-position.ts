import type { EpochMs } from "../../contracts/ids.ts";

/** The position of a settled post in a history: the latest outcome first, then in the order of ids. */
export interface SettledPosition {
  readonly settledAt: EpochMs;
  readonly id: string;
}

export const LATEST_FIRST = { settledAt: -1, _id: 1 } as const;

/** The filter of settled posts behind a position: settled earlier, or at the same time with a later id. */
export function settledBehind(position: SettledPosition | undefined): object {
  if (position === undefined) return { settledAt: { $exists: true } };
  const settledAt = new Date(position.settledAt);
  return {
    settledAt: { $exists: true, $lte: settledAt },
    $or: [{ settledAt: { $lt: settledAt } }, { _id: { $gt: position.id } }],
  };
}
