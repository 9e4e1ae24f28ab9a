import type { Post } from "../../domain/post/post.ts";
import type { Lifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import type { Claim, PostWrite } from "../post-store.ts";

/** Claims and writes posts. Retries after an error, and finds out whether an attempt without a response was applied. */
export interface Ledger {
  /** The claimed row; null if another replica has claimed it, if it may not be claimed any more, or without a response. */
  claim(claim: Claim): Promise<Post | null>;
  /** The written row; null if the row had changed, or without a response. Reports an outcome. */
  write(row: Post, write: PostWrite): Promise<Post | null>;
}

/** Longer than an election of MongoDB. Afterwards another replica recovers the post. */
const MAX_RETRY_MS = 30_000;
const RETRY_MS = 250;

export function newLedger({ store, clock, reports }: Ports, lifecycle: Lifecycle): Ledger {
  /** Retries until there is a response; `inDoubt` says whether an earlier attempt may have been applied. */
  async function retryUntilResponse<Result>(
    what: string,
    post: Pick<Post, "id" | "guildId" | "changedBy">,
    attempt: (inDoubt: boolean) => Promise<Result>,
  ): Promise<Result | null> {
    const retriedUntil = clock.now() + MAX_RETRY_MS;
    for (let inDoubt = false; clock.now() < retriedUntil; inDoubt = true) {
      try {
        return await attempt(inDoubt);
      } catch (error) {
        reports.operationFailed(what, { post, error });
        await lifecycle.sleep(RETRY_MS);
        if (lifecycle.isStopping) return null;
      }
    }
    return null;
  }

  return {
    claim: (claim) =>
      retryUntilResponse("claim", withOrigin(claim.post, claim), async (inDoubt) => {
        if (!inDoubt) return store.claim(claim);
        const row = await store.find(claim.post);
        return row?.state === "sending" && row.attemptId === claim.attemptId ? row : null;
      }),

    async write(row, write) {
      const written = await retryUntilResponse("write", withOrigin(row, write), async (inDoubt) => {
        const result = await store.write(row, write);
        if (result !== null || !inDoubt) return result;
        const found = await store.find(row);
        return found !== null && found.fence === row.fence && isWritten(found, write) ? found : null;
      });
      if (written !== null && write.settledAt !== undefined) reports.settled(written);
      return written;
    },
  };
}

/** The row with the request that a claim or write stores in it. */
function withOrigin(row: Post, { changedBy }: Pick<PostWrite, "changedBy">): Post {
  return changedBy === undefined ? row : { ...row, changedBy };
}

/** Whether the row has the state and the `wakeAt` that the write leaves. */
function isWritten(row: Post, write: PostWrite): boolean {
  return (write.state === undefined || row.state === write.state) && row.wakeAt === (write.wakeAt ?? row.wakeAt);
}
