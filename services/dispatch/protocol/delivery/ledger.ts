import type { Post } from "../../domain/post/post.ts";
import type { Life } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import type { Claim, PostWrite } from "../post-store.ts";

/** Writes to the ledger that know whether they happened, also when an answer is lost. */
export interface Ledger {
  /** The claimed row; null when another has it, or it is not to be claimed any more. */
  claim(claim: Claim): Promise<Post | null>;
  /** The written row; null when it was no longer as it was. Tells the world when it is an outcome. */
  write(row: Post, write: PostWrite): Promise<Post | null>;
}

/** How long a write is tried: longer than an election; a row that stays `sending` is taken over. */
const PATIENCE_MS = 30_000;
const AGAIN_MS = 250;

export function newLedger({ store, clock, reports }: Ports, life: Life): Ledger {
  /** Tries until there is an answer; `doubt` says whether an earlier try may have happened. */
  async function insist<Result>(
    what: string,
    { id: post }: Pick<Post, "id">,
    attempt: (doubt: boolean) => Promise<Result>,
  ): Promise<Result | null> {
    const givenUpAt = clock.now() + PATIENCE_MS;
    for (let doubt = false; clock.now() < givenUpAt; doubt = true) {
      try {
        return await attempt(doubt);
      } catch (error) {
        reports.trouble(what, { post, error });
        await life.sleep(AGAIN_MS);
        if (life.stopping) return null;
      }
    }
    return null;
  }

  return {
    claim: (claim) =>
      insist("claim", claim.post, async (doubt) => {
        if (!doubt) return store.claim(claim);
        const row = await store.find(claim.post.id);
        return row?.state === "sending" && row.attemptId === claim.attemptId ? row : null;
      }),

    async write(row, write) {
      const written = await insist("write", row, async (doubt) => {
        const done = await store.write(row, write);
        if (done !== null || !doubt) return done;
        const found = await store.find(row.id);
        return found !== null && found.fence === row.fence && isWritten(found, write) ? found : null;
      });
      if (written?.settledAt !== undefined) reports.settled(written);
      return written;
    },
  };
}

/** Whether the row looks as the write would have left it. */
function isWritten(row: Post, write: PostWrite): boolean {
  return (write.state === undefined || row.state === write.state) && row.wakeAt === (write.wakeAt ?? row.wakeAt);
}
