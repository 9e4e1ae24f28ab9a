import { type ClientSession, type Connection, type Model, Schema } from "mongoose";
import { refuse, type Refusal } from "../contracts/errors.ts";
import type { AnyRow, EventDocument } from "./calendar-event.document.ts";
import { mayHoldKind } from "./domain/lanes.ts";
import { lanePrefix, lanesOf } from "./event-filing.ts";

/** How often a guild got a series of a new kind: writers of such series pass one after the other. `_id` is the guild. */
interface GuildRow {
  readonly _id: string;
  readonly changes: number;
}

const guildSchema = new Schema<GuildRow>(
  { _id: { type: String, required: true }, changes: Number },
  { collection: "calendar_guilds", versionKey: false },
);

/** Of how many kinds the series of a calendar may be. */
export interface KindLimit {
  /** Whether the row is of a kind that its calendar has no series of yet. */
  isNew(row: EventDocument): Promise<boolean>;
  /** Refuses a new kind when the calendar has the most already; a part of the transaction that writes the row. */
  admit(row: EventDocument, session: ClientSession): Promise<Refusal | undefined>;
}

export function kindLimit(connection: Connection, model: Model<AnyRow>): KindLimit {
  const guilds = connection.model<GuildRow>("CalendarGuild", guildSchema);
  return {
    async isNew({ guildId, lane, recurrence }) {
      return recurrence !== undefined && (await model.exists({ guildId, lane })) === null;
    },

    async admit({ guildId, calendarNumber, lane }, session) {
      await guilds.updateOne({ _id: guildId }, { $inc: { changes: 1 } }, { upsert: true, session });
      const lanes = await model.distinct("lane", { guildId, lane: lanesOf(calendarNumber) }).session(session);
      const prefix = lanePrefix(calendarNumber).length;
      const names = lanes.map((each) => each.slice(prefix));
      return mayHoldKind(names, lane.slice(prefix)) ? undefined : refuse("TOO_MANY_KINDS");
    },
  };
}
