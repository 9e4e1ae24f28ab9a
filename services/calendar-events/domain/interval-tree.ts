import type { EpochMs } from "../../contracts/ids.ts";
import { LAST_UNIT, unitOf } from "./time-units.ts";
import type { Window } from "./window.ts";

/**
 * The relational interval tree (Kriegel, Pötke and Seidl, VLDB 2000): every stretch of time is filed under one
 * number, its fork, so that an ordinary index finds what touches a window without reading what doesn't.
 *
 * The fork is the number in the stretch that the most powers of two divide. What touches a window and is filed
 * outside it is filed under one of at most 32 numbers to each side, and there its end, or its start, decides.
 */

/** Under which number a stretch of time is filed. */
export function forkOf(startsAt: EpochMs, lastAt: EpochMs): number {
  const first = unitOf(startsAt);
  const last = unitOf(lastAt);
  for (let power = 2 ** 31; power > 1; power /= 2) {
    const multiple = Math.ceil(first / power) * power;
    // Zero is a multiple of every power.
    if (multiple <= last) return multiple;
  }
  return first;
}

/** Where to look for what touches a window. */
export interface ForkSearch {
  /** Numbers before the window: filed here, and ended in it or after it. */
  readonly before: readonly number[];
  /** Numbers in the window: all of it. */
  readonly within: { readonly first: number; readonly last: number };
  /** Numbers after the window: filed here, and started before its end. */
  readonly after: readonly number[];
}

/** Where what touches a window may be filed. */
export function forksAround({ from, until }: Window): ForkSearch {
  const first = unitOf(from);
  const last = unitOf(until - 1);
  const before = new Set<number>();
  const after = new Set<number>();
  for (let power = 1; power < 2 ** 32; power *= 2) {
    const below = Math.floor(first / power) * power;
    const above = (Math.floor(last / power) + 1) * power;
    if (below < first) before.add(below);
    if (above <= LAST_UNIT) after.add(above);
  }
  if (first > 0) before.add(0);
  return { before: [...before], within: { first, last }, after: [...after] };
}
