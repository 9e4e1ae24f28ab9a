import type { Model, PipelineStage } from "mongoose";
import { GUILD_PARTITIONS } from "../../contracts/change-feed.contract.ts";
import type { PartitionMark, PostStore } from "../protocol/post-store.ts";
import type { FeedMarkRow } from "./guild-plan.document.ts";

/** How far the feeds are planned: a document for each feed, with a mark for each partition of the guilds. */
export function partitionMarksStore(
  marks: Model<FeedMarkRow>,
): Pick<PostStore, "partitionMarks" | "savePartitionMarks"> {
  return {
    async partitionMarks(feed) {
      const row = await marks.findById(feed).lean<FeedMarkRow>();
      return new Map(row === null ? [] : Array.from({ length: GUILD_PARTITIONS }, (_, at) => at).flatMap(entryOf(row)));
    },
    async savePartitionMarks(feed, saved, by) {
      const partitions = Object.fromEntries(
        [...saved].map(([partition, { mark, confirmedAt }]) => {
          const name = nameOf(partition);
          const stored = `$partitions.${name}`;
          const later = { $max: [{ at: `${stored}.at`, id: `${stored}.id` }, { $literal: mark }] };
          const confirmed = { $max: [`${stored}.confirmedAt`, confirmedAt] };
          const others = { confirmedAt: confirmed, by: { $literal: by }, savedAt: "$$NOW" };
          return [name, { $mergeObjects: [later, others] }];
        }),
      );
      const update: PipelineStage[] = [
        { $set: { partitions: { $mergeObjects: ["$partitions", partitions] } } },
        { $set: { lowest: LOWEST } },
        { $set: { at: "$lowest.at", id: "$lowest.id" } },
        { $unset: "lowest" },
      ];
      await marks.updateOne({ _id: feed }, update, { upsert: true, updatePipeline: true });
    },
  };
}

const STORED = { $objectToArray: "$partitions" };
const BEFORE = { at: "$at", id: "$id" };
const MARKS = { $map: { input: STORED, in: { at: "$$this.v.at", id: "$$this.v.id" } } };

/** The lowest mark, as soon as every partition has one. */
const LOWEST = {
  $cond: [{ $eq: [{ $size: STORED }, GUILD_PARTITIONS] }, { $max: [BEFORE, { $min: MARKS }] }, BEFORE],
};

/** The mark of all partitions may be later than that of one, if the previous release has read the feed since. */
function entryOf({ at, id = "", partitions = {} }: FeedMarkRow): (partition: number) => [number, PartitionMark][] {
  const ofAll = at === undefined ? [] : [{ mark: { at, id }, confirmedAt: 0, by: "", savedAt: 0 }];
  return (partition) => {
    const stored = partitions[nameOf(partition)];
    if (stored === undefined) return ofAll.map((mark) => [partition, mark]);
    const own = { at: stored.at, id: stored.id };
    const isLater = at !== undefined && (at > own.at || (at === own.at && id > own.id));
    const { confirmedAt, by, savedAt } = stored;
    return [[partition, { mark: isLater ? { at, id } : own, confirmedAt, by, savedAt: savedAt.getTime() }]];
  };
}

function nameOf(partition: number): string {
  return `p${partition}`;
}
