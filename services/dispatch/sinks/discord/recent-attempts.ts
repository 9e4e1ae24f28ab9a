import { LRUCache } from "lru-cache";
import type { MessageBody } from "../../../contracts/dispatch.contract.ts";

/** Far more than can be unsettled at a time with Discord's limits. */
const MAX_PARTS = 5_000;

/** What this process knows of parts that are not settled yet, by their nonces. Of too many the least recently used is forgotten. */
export interface RecentAttempts {
  /** This is sent now. */
  attempt(nonce: string, body: MessageBody): void;
  /** What was sent, each version once: the event may have been edited in between. */
  attemptsAt(nonce: string): readonly MessageBody[];
  /** Its box was refused: from now on it goes out as plain text. */
  refuseBox(nonce: string): void;
  isBoxRefused(nonce: string): boolean;
  forget(nonce: string): void;
}

interface PartMemory {
  readonly boxRefused: boolean;
  readonly bodies: readonly MessageBody[];
}

export function recentAttempts(): RecentAttempts {
  const parts = new LRUCache<string, PartMemory>({ max: MAX_PARTS });
  return {
    attempt(nonce, body) {
      const { bodies, boxRefused } = parts.get(nonce) ?? { bodies: [], boxRefused: false };
      const isKnown = bodies.some((each) => JSON.stringify(each) === JSON.stringify(body));
      if (!isKnown) parts.set(nonce, { boxRefused, bodies: [...bodies, body] });
    },
    attemptsAt: (nonce) => parts.get(nonce)?.bodies ?? [],
    refuseBox: (nonce) => void parts.set(nonce, { bodies: parts.get(nonce)?.bodies ?? [], boxRefused: true }),
    isBoxRefused: (nonce) => parts.get(nonce)?.boxRefused === true,
    forget: (nonce) => void parts.delete(nonce),
  };
}
