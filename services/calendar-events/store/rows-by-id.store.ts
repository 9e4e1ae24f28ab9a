import type { Model } from "mongoose";
import { batchedFind } from "../../../mixins/mongo/batched-find.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { type AnyRow, READ_PROJECTION, type Row } from "./calendar-event.document.ts";

/** A hint, because the guild alone would let the database consider other indexes. */
export const BY_ID = { _id: 1 } as const;

/** Filters the rows of a guild by their ids, on one shard. */
export function ofGuild(guildId: GuildId, ids: readonly string[]): object {
  return { guildId, _id: { $in: ids } };
}

/** Reads rows by their ids; concurrent reads share a command. */
export function rowReader(model: Model<AnyRow>): (guildId: GuildId, ids: readonly string[]) => Promise<Row[]> {
  const read = batchedFind(model, READ_PROJECTION);
  return async (guildId, ids) =>
    (await Promise.all(ids.map((_id) => read({ guildId, _id })))).filter((row) => row !== null);
}
