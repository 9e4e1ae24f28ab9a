import type { NotPlanned } from "../../contracts/dispatch.contract.ts";
import type { GuildPlan } from "../protocol/post-store.ts";
import { MAX_OPEN_POSTS } from "../domain/plan/plan-input.ts";

const MESSAGES = {
  TOO_MANY_POSTS: `The guild has more than ${MAX_OPEN_POSTS} posts ahead: the soonest are planned, and later ones as these are settled. A post that still has no room at its deadline is not posted.`,
  TOO_MANY_OCCURRENCES:
    "The guild has more occurrences ahead than a plan reads (10000): later ones are planned as these pass.",
} as const;

/** The notice in the list of upcoming posts that the plan is incomplete; undefined for a complete plan. */
export function notPlannedNotice({ bounded, occurrencesThrough }: GuildPlan): NotPlanned | undefined {
  const postsThrough = bounded?.end.at ?? Infinity;
  if (occurrencesThrough !== undefined && occurrencesThrough <= postsThrough) {
    return notice("TOO_MANY_OCCURRENCES", occurrencesThrough);
  }
  return bounded === undefined ? undefined : notice("TOO_MANY_POSTS", postsThrough);
}

function notice(code: NotPlanned["code"], dueFrom: number): NotPlanned {
  return { code, message: MESSAGES[code], dueFrom };
}
