import type { SendOutcome } from "../sink.ts";

/** Far more than are under way at any time. */
const MOST = 1_000;

/**
 * The parts whose box was refused: they are sent once more as plain text, and go on as plain text when that attempt
 * has to wait or is lost.
 */
export interface RefusedBoxes {
  has(nonce: string): boolean;
  add(nonce: string): void;
  /** Forgets a part that is settled. */
  settle(nonce: string, outcome: SendOutcome): void;
}

export function refusedBoxes(): RefusedBoxes {
  const nonces = new Set<string>();
  return {
    has: (nonce) => nonces.has(nonce),
    add(nonce) {
      nonces.add(nonce);
      const [oldest] = nonces;
      if (nonces.size > MOST && oldest !== undefined) nonces.delete(oldest);
    },
    settle(nonce, { kind }) {
      if (kind === "sent" || kind === "rejected") nonces.delete(nonce);
    },
  };
}
