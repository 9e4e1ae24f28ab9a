import { randomFillSync } from "node:crypto";

const AT_ONCE = 256;

/** Gives so many random bytes each time, which nobody else gets. Many are drawn at once: a drawing is a system call. */
export function randomBytesOf(length: number): () => Uint8Array {
  const pool = new Uint8Array(AT_ONCE * length);
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += length;
    return pool.subarray(used - length, used);
  };
}
