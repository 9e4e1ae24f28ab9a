import type { CreateFeedParams, FeedView, IssuedFeed } from "../../contracts/feeds.contract.ts";
import { type PagedList, pageOf } from "../../../mixins/actions/page-entries.ts";
import { pageCursors } from "../../../mixins/actions/page-cursor.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import type { GuildId } from "../../contracts/ids.ts";
import type { Page, PageParams } from "../../contracts/pages.ts";
import { feedView } from "../domain/feed.ts";
import { generateKey, type KeyHashing, newKeyId } from "../keys/key-digests.ts";
import { FEED_PREFIX } from "../keys/key-text.ts";
import { feedPath } from "./feed-path.ts";
import type { FeedsStore } from "./feeds.store.ts";

/** Creates, lists, rotates and revokes the feeds of a guild (D47). */
export interface FeedManagement {
  create(params: CreateFeedParams): Promise<IssuedFeed | Refusal>;
  list(guildId: GuildId): Promise<FeedView[]>;
  listPage(guildId: GuildId, params: PageParams): Promise<Page<FeedView> | Refusal>;
  rotate(guildId: GuildId, id: string): Promise<IssuedFeed | Refusal>;
  revoke(guildId: GuildId, id: string): Promise<void | Refusal>;
}

/** The order of feeds in pages: the latest first. */
const FEEDS: PagedList<FeedView, readonly [negatedCreatedAt: number, id: string]> = {
  cursors: pageCursors("feeds", [0, ""]),
  positionOf: ({ createdAt, id }) => [-createdAt, id],
};

export function feedManagement(store: FeedsStore, hashing: KeyHashing, clock: () => number = Date.now): FeedManagement {
  async function listAll(guildId: GuildId): Promise<FeedView[]> {
    const feeds = await store.list(guildId);
    return feeds.map(feedView).toReversed();
  }

  return {
    async create({ guildId, calendarNumber, color, label = "" }) {
      const id = newKeyId(hashing.pepper);
      const { key: token, secret } = generateKey(hashing, id, FEED_PREFIX);
      const ofColor = color === undefined ? {} : { color };
      const feed = { id, guildId, calendarNumber, ...ofColor, label, secret, createdAt: clock() };
      return (await store.insert(feed)) ? { id, path: feedPath(token) } : refuse("TOO_MANY_FEEDS");
    },

    list: listAll,

    listPage: async (guildId, params) => pageOf(await listAll(guildId), params, FEEDS),

    async rotate(guildId, id) {
      const { key: token, secret } = generateKey(hashing, id, FEED_PREFIX);
      const isChanged = await store.replaceSecret(guildId, id, { secret, rotatedAt: clock() });
      return isChanged ? { id, path: feedPath(token) } : refuse("FEED_NOT_FOUND");
    },

    async revoke(guildId, id) {
      return (await store.remove(guildId, id)) ? undefined : refuse("FEED_NOT_FOUND");
    },
  };
}
