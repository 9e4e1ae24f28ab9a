import { MAX_ANNOUNCEMENTS } from "../../contracts/announcements.contract.ts";

/**
 * The free slots of the guild; empty if it has as many announcements as it may have (D26). A slot is a number that only one
 * announcement of the guild has, by a unique index: so concurrent creates do not exceed the maximum.
 */
export function freeSlots(used: readonly number[]): number[] {
  const taken = new Set(used);
  return Array.from({ length: MAX_ANNOUNCEMENTS }, (_, slot) => slot).filter((slot) => !taken.has(slot));
}

/**
 * Picks a random slot, so that concurrent creates rarely pick the same one.
 *
 * @param random - 0 or more, and less than 1.
 */
export function pickSlot(slots: readonly number[], random: number): number | undefined {
  return slots[Math.floor(random * slots.length)];
}
