import type { Connection } from "mongoose";
import { findRows } from "../../../mixins/mongo/find-command.ts";
import type { PostStore } from "../protocol/post-store.ts";
import { type Ledger, ledgerModels } from "./ledger-models.store.ts";
import { EDITED_INDEX, type PostRow, toPost } from "./post.document.ts";

/** The sent posts whose messages are edited (D67). */
export function editedPostsStore(
  connection: Connection,
  ledger: Ledger,
): Pick<PostStore, "editedPosts" | "requestSteps"> {
  const { posts } = ledgerModels(connection, ledger);
  return {
    async editedPosts(guildId, at, limit) {
      const filter = { guildId, "message.until": { $gt: at }, state: "sent" };
      const rows = await findRows<PostRow>(posts, { filter, sort: { "message.until": -1 }, limit, hint: EDITED_INDEX });
      return rows.map(toPost);
    },

    async requestSteps(guildId, ids) {
      const isUnderWay = { $eq: [{ $type: "$owner" }, "string"] };
      const due = {
        stepDue: true,
        wakeAt: { $cond: [isUnderWay, "$wakeAt", "$$NOW"] },
        planRevision: { $add: ["$planRevision", 1] },
      };
      const edited = { guildId, _id: { $in: [...ids] }, state: "sent", "message.until": { $exists: true } };
      await posts.updateMany(edited as never, [{ $set: due }], { updatePipeline: true });
    },
  };
}
