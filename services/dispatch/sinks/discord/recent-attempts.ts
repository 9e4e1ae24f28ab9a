import { LRUCache } from "lru-cache";
import type { MessageBody } from "../../../contracts/dispatch.contract.ts";

/** Far more parts than Discord's rate limits leave unsettled at a time. */
const MAX_PARTS = 5_000;

/** This process's attempts to send parts that are not settled yet, by nonce; an LRU cache. */
export interface RecentAttempts {
  record(nonce: string, body: MessageBody): void;
  /** The distinct bodies that were sent; the event may have been edited between attempts. */
  bodiesOf(nonce: string): readonly MessageBody[];
  /** Further attempts of the part are sent as plain text. */
  markEmbedRefused(nonce: string): void;
  isEmbedRefused(nonce: string): boolean;
  forget(nonce: string): void;
}

interface PartAttempts {
  readonly isEmbedRefused: boolean;
  readonly bodies: readonly MessageBody[];
}

export function recentAttempts(): RecentAttempts {
  const parts = new LRUCache<string, PartAttempts>({ max: MAX_PARTS });
  return {
    record(nonce, body) {
      const { bodies, isEmbedRefused } = parts.get(nonce) ?? { bodies: [], isEmbedRefused: false };
      const isKnown = bodies.some((each) => JSON.stringify(each) === JSON.stringify(body));
      if (!isKnown) parts.set(nonce, { isEmbedRefused, bodies: [...bodies, body] });
    },
    bodiesOf: (nonce) => parts.get(nonce)?.bodies ?? [],
    markEmbedRefused: (nonce) =>
      void parts.set(nonce, { bodies: parts.get(nonce)?.bodies ?? [], isEmbedRefused: true }),
    isEmbedRefused: (nonce) => parts.get(nonce)?.isEmbedRefused === true,
    forget: (nonce) => void parts.delete(nonce),
  };
}
