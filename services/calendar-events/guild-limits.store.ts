import { type ClientSession, type Connection, type Model, Schema } from "mongoose";
import { refuse, type Refusal } from "../contracts/errors.ts";
import type { GuildId } from "../contracts/ids.ts";
import type { AnyRow, EventDocument } from "./calendar-event.document.ts";
import { mayHoldKind } from "./domain/lanes.ts";
import { lanePrefix, lanesOf } from "./event-filing.ts";

/** How many events a guild has; `_id` is the guild. */
interface GuildRow {
  readonly _id: GuildId;
  readonly events: number;
  /** How often it was changed: each change makes writers of a guild pass one after the other. */
  readonly changes: number;
}

const guildSchema = new Schema<GuildRow>(
  { _id: { type: String, required: true }, events: Number, changes: Number },
  { collection: "calendar_guilds", versionKey: false },
);

/** What a guild may hold at most. Each call is a part of the transaction that writes the event. */
export interface GuildLimits {
  /** Counts a new event, unless the guild, or its calendar, may not hold it. */
  admit(row: EventDocument, session: ClientSession): Promise<Refusal | undefined>;
  /** Refuses the kind of a series that is new in its calendar, when that has the most already. */
  admitKind(row: EventDocument, session: ClientSession): Promise<Refusal | undefined>;
  /** Counts an event less. */
  release(guildId: GuildId, session: ClientSession): Promise<void>;
}

export function guildLimits(connection: Connection, model: Model<AnyRow>, most: number): GuildLimits {
  const guilds = connection.model<GuildRow>("CalendarGuild", guildSchema);

  /** Counts so many more; answers how many there are then. */
  async function count(guildId: GuildId, more: number, session: ClientSession): Promise<number> {
    const options = { upsert: true, returnDocument: "after", session } as const;
    const { events, changes } = await guilds
      .findByIdAndUpdate(guildId, { $inc: { events: more, changes: 1 } }, options)
      .orFail()
      .lean<GuildRow>();
    if (changes > 1) return events;
    // The guild's first change since events are counted: what it has already is gone through, this once.
    const before = await model
      .countDocuments({ guildId, lane: { $gt: "" }, eventId: { $exists: false } })
      .session(session);
    await guilds.updateOne({ _id: guildId }, { $inc: { events: before } }, { session });
    return before + more;
  }

  async function kindRefusal(row: EventDocument, session: ClientSession): Promise<Refusal | undefined> {
    const { guildId, calendarNumber, lane, recurrence } = row;
    if (recurrence === undefined) return undefined;
    const lanes = await model.distinct("lane", { guildId, lane: lanesOf(calendarNumber) }).session(session);
    const names = lanes.map((each) => each.slice(lanePrefix(calendarNumber).length));
    const name = lane.slice(lanePrefix(calendarNumber).length);
    return mayHoldKind(names, name) ? undefined : refuse("TOO_MANY_KINDS");
  }

  return {
    async admit(row, session) {
      const events = await count(row.guildId, 1, session);
      const full = refuse("TOO_MANY_EVENTS", undefined, `The guild has ${most} events already`);
      const refusal = events > most ? full : await kindRefusal(row, session);
      if (refusal !== undefined) await count(row.guildId, -1, session);
      return refusal;
    },

    async admitKind(row, session) {
      await count(row.guildId, 0, session);
      return kindRefusal(row, session);
    },

    async release(guildId, session) {
      await count(guildId, -1, session);
    },
  };
}
