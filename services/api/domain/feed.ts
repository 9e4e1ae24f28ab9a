import type { FeedView } from "../../contracts/feeds.contract.ts";
import type { KeySecret } from "./api-key.ts";

/** A stored feed. It does not contain its token. */
export interface Feed extends FeedView {
  readonly secret: Pick<KeySecret, "digest" | "pepperId">;
}

export function feedView({ secret: _, ...view }: Feed): FeedView {
  return view;
}
