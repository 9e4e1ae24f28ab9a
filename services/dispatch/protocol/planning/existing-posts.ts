import type { AnnouncementId, GuildId, OccurrenceId } from "../../../contracts/ids.ts";
import type { Post } from "../../domain/post/post.ts";
import type { PostStore } from "../post-store.ts";
import type { Timing } from "../timing.ts";

const OCCURRENCES_PER_READ = 500;

/** Occurrences and announcements whose posts a plan needs. */
interface Pairs {
  readonly occurrenceIds: ReadonlySet<OccurrenceId>;
  readonly announcementIds: ReadonlySet<AnnouncementId>;
}

/**
 * The posts that a plan compares with: those of `postsForPlan`, and those of the pairs, as `postsOfPairs` selects them. If a post
 * was read twice, the later read counts.
 */
export async function existingPosts(
  { store }: { readonly store: Pick<PostStore, "postsForPlan" | "postsOfPairs"> },
  { maxOpenPosts }: Pick<Timing, "maxOpenPosts">,
  guildId: GuildId,
  { occurrenceIds, announcementIds }: Pairs,
): Promise<Post[]> {
  const byId = new Map<string, Post>();
  const limit = maxOpenPosts + OCCURRENCES_PER_READ;
  for (const post of await store.postsForPlan(guildId, limit)) byId.set(post.id, post);
  const ids = [...occurrenceIds];
  const announcements = [...announcementIds];
  for (let first = 0; first < ids.length; first += OCCURRENCES_PER_READ) {
    const posts = await store.postsOfPairs(guildId, ids.slice(first, first + OCCURRENCES_PER_READ), announcements);
    for (const post of posts) byId.set(post.id, post);
  }
  return [...byId.values()];
}
