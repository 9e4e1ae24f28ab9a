import type { Connection } from "mongoose";
import { findRows, streamPipeline } from "../../../mixins/mongo/find-command.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { OPEN_STATES, type Post } from "../domain/post/post.ts";
import type { PostStore } from "../protocol/post-store.ts";
import type { GuildPlanRow } from "./guild-plan.document.ts";
import { type Ledger, ledgerModels } from "./ledger-models.store.ts";
import { type PostRow, toPost } from "./post.document.ts";

const BATCH_ROWS = 100;

/**
 * Reads the soonest posts of each planned guild in turn, by the index of a guild's open posts: a guild costs a seek, and however
 * many posts it has, no more than the limit are read.
 */
export function postsByGuild(connection: Connection, ledger: Ledger): PostStore["postsOfGuildsWaking"] {
  const { plans, posts } = ledgerModels(connection, ledger);
  return async (from, before, { behind = "", guilds, postsPerGuild }) => {
    const page = { filter: { _id: { $gt: behind } }, projection: { _id: 1 }, sort: { _id: 1 }, limit: guilds } as const;
    const ids = (await findRows<Pick<GuildPlanRow, "_id">>(plans, page)).map(({ _id }) => _id);
    const range = [new Date(from), new Date(before)] as const;
    const isWaking = { $and: [{ $gte: ["$wakeAt", range[0]] }, { $lt: ["$wakeAt", range[1]] }] };
    const pipeline = [
      { $match: { _id: { $in: ids } } },
      {
        $lookup: {
          from: posts.collection.name,
          localField: "_id",
          foreignField: "guildId",
          as: "post",
          pipeline: [
            // As an expression, `wakeAt` does not choose the index of all guilds.
            { $match: { state: { $in: [...OPEN_STATES] }, dueAt: { $gte: range[0], $lt: range[1] }, $expr: isWaking } },
            { $sort: { dueAt: 1 } },
            { $limit: postsPerGuild },
          ],
        },
      },
      { $unwind: "$post" },
      { $replaceRoot: { newRoot: "$post" } },
    ];
    const found: Post[] = [];
    if (ids.length > 0) {
      const pages = streamPipeline<PostRow>(plans, { pipeline, batchSize: BATCH_ROWS });
      for await (const rows of pages) found.push(...rows.map(toPost));
    }
    return { posts: found, last: ids.length < guilds ? undefined : (ids.at(-1) as GuildId | undefined) };
  };
}
