/** Pseudo-random numbers that are determined by a seed. */
export interface Chance {
  /** A number in [0, 1). */
  fraction(): number;
  /** An integer from `min` to `max`. */
  between(min: number, max: number): number;
  /** True with this probability. */
  happens(probability: number): boolean;
  oneOf<Item>(items: readonly Item[]): Item;
}

/** mulberry32 with a hashed seed, so that neighbouring seeds give unrelated numbers. */
export function newChance(seed: number): Chance {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (min: number, max: number) => min + Math.floor(fraction() * (max - min + 1));
  return {
    fraction,
    between,
    happens: (probability) => fraction() < probability,
    oneOf: (items) => items[between(0, items.length - 1)] as (typeof items)[number],
  };
}
