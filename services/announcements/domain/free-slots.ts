import { MAX_ANNOUNCEMENTS } from "../../contracts/announcements.contract.ts";

/** The slots that no announcement of the guild has; none when it has as many announcements as it may have (D26). */
export function freeSlots(used: readonly number[]): number[] {
  const taken = new Set(used);
  return Array.from({ length: MAX_ANNOUNCEMENTS }, (_, slot) => slot).filter((slot) => !taken.has(slot));
}

/**
 * A random slot of the free ones: concurrent creates rarely choose the same slot.
 *
 * @param random - 0 or more, and less than 1.
 */
export function pickSlot(slots: readonly number[], random: number): number | undefined {
  return slots[Math.floor(random * slots.length)];
}
