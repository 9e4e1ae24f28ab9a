import type { Connection } from "mongoose";
import { findRows } from "../../../mixins/mongo/find-command.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { MISSED_STATES } from "../../contracts/occurrence-notifications.contract.ts";
import type { Post } from "../domain/post/post.ts";
import { ledgerModels } from "./ledger-models.store.ts";
import { MISSED_INDEX, type PostRow, toPost } from "./post.document.ts";
import { LATEST_FIRST, settledBehind, type SettledPosition } from "./settled-position.ts";

export interface MissedNotificationsStore {
  /** The missed notifications of a guild behind one of them: the latest outcome first, then in the order of ids. */
  listMissedBehind(guildId: GuildId, behind: SettledPosition | undefined, limit: number): Promise<Post[]>;
}

/** The notifications in the ledger that no webhook may have got. The others of a guild may be hundreds of thousands. */
export function missedNotificationsStore(connection: Connection): MissedNotificationsStore {
  const { posts } = ledgerModels(connection, "notifications");
  return {
    async listMissedBehind(guildId, behind, limit) {
      const filter = { guildId, state: { $in: [...MISSED_STATES] }, ...settledBehind(behind) };
      const rows = await findRows<PostRow>(posts, { filter, sort: LATEST_FIRST, limit, hint: MISSED_INDEX });
      return rows.map(toPost);
    },
  };
}
