import { entriesAfter, firstPage } from "../../mixins/actions/page-entries.ts";
import { pageCursors } from "../../mixins/actions/page-cursor.ts";
import type { Announcement } from "../contracts/announcements.contract.ts";
import { isRefusal, type Refusal } from "../contracts/errors.ts";
import type { EpochMs, GuildId } from "../contracts/ids.ts";
import type { Page, PageParams } from "../contracts/pages.ts";
import type { AnnouncementsStore, CreatedAnnouncement } from "./announcements.store.ts";

type Position = readonly [createdAt: EpochMs, id: string];

const cursors = pageCursors<Position>("announcements", [0, ""]);

/** A page of the announcements of a guild in the order of their creation (D49). */
export async function announcementPage(
  store: Pick<AnnouncementsStore, "listIds" | "listByIds">,
  guildId: GuildId,
  { limit, cursor }: PageParams,
): Promise<Page<Announcement> | Refusal> {
  const position = cursors.read(cursor);
  if (isRefusal(position)) return position;
  // At most 1000 announcements. They are sorted here, because the index has the times of creation without the ids.
  const behind = entriesAfter(await store.listIds(guildId), position, positionOf);
  const created = new Map(behind.map((each) => [each.id, each]));
  const announcements = flattened(store.listByIds(guildId, [...created.keys()]));
  return firstPage(announcements, limit, ({ id }) => cursors.write(positionOf(created.get(id) as CreatedAnnouncement)));
}

function positionOf({ createdAt, id }: CreatedAnnouncement): Position {
  return [createdAt, id];
}

async function* flattened<Item>(pages: AsyncIterable<readonly Item[]>): AsyncIterable<Item> {
  for await (const page of pages) yield* page;
}
