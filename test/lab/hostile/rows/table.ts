import type { HostileRow } from "../row.ts";
import { BACKLOG } from "./backlog.ts";
import { CONTENTION, CONTENTION_OF_REPLICAS } from "./contention.ts";
import { FLOOD_OF_ONE_KEY } from "./flood-of-one-key.ts";
import { FOLLOWED_MESSAGES } from "./followed-messages.ts";
import { FULL_ANNOUNCEMENTS } from "./full-announcements.ts";
import { LARGE_PLANS } from "./large-plans.ts";
import { LARGE_RESPONSES } from "./large-responses.ts";
import { LATE_WRITE } from "./late-write.ts";
import { MANY_CHANGES } from "./many-changes.ts";
import { MANY_DIGESTS } from "./many-digests.ts";
import { MANY_SERIES } from "./many-series.ts";
import { MANY_STREAMS } from "./many-streams.ts";
import { PLAN_BOMB } from "./plan-bomb.ts";
import { PLAN_DIFFS } from "./plan-diffs.ts";
import { SKIPPED_POSTS } from "./skipped-posts.ts";
import { SLOW_BODIES } from "./slow-bodies.ts";
import { SLOW_WEBHOOKS } from "./slow-webhooks.ts";

export const ROWS: readonly HostileRow[] = [
  FLOOD_OF_ONE_KEY,
  LARGE_RESPONSES,
  SLOW_BODIES,
  CONTENTION,
  CONTENTION_OF_REPLICAS,
  LATE_WRITE,
  PLAN_BOMB,
  LARGE_PLANS,
  FULL_ANNOUNCEMENTS,
  FOLLOWED_MESSAGES,
  SKIPPED_POSTS,
  MANY_SERIES,
  MANY_DIGESTS,
  MANY_CHANGES,
  MANY_STREAMS,
  PLAN_DIFFS,
  SLOW_WEBHOOKS,
  BACKLOG,
];
