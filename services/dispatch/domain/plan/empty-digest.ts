import type { CompleteState } from "./current-state.ts";

/** Why a digest without events is not posted. */
export const NOTHING_TO_LIST = "no event in the days of the digest";

/** Whether the post is a digest that lists no event, and has no text for this case (D65). */
export function isEmptyDigest({
  announcement,
  occurrence: { digest },
}: Pick<CompleteState, "announcement" | "occurrence">) {
  return digest?.entries?.length === 0 && announcement.digest?.emptyText === undefined;
}
