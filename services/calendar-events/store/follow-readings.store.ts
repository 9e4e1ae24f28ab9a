import type { Connection } from "mongoose";
import { isDuplicateKey } from "../../../mixins/mongo/change-feed.ts";
import type { CalendarReference } from "../../contracts/calendars.contract.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import type { Follow } from "../domain/calendar/calendar.ts";
import type { FollowReading } from "../domain/follow/follow.ts";
import { calendarRowId, type CalendarRow } from "./calendars.store.ts";
import type { ReadingRow } from "./follow-reading.document.ts";

/** An address that is due. */
export interface DueFollow extends CalendarReference {
  readonly fence: number;
}

/** A claimed calendar. Writes of its reader have the fence. */
export interface FollowClaim extends DueFollow {
  readonly follow: Follow;
  readonly reading: FollowReading;
}

export interface FollowReadingsStore {
  /**
   * Addresses that are due: first those whose reader has vanished, then the others, the longest overdue first. `areFailing`
   * selects those whose last read failed, or only the others.
   */
  listDue(now: EpochMs, areFailing: boolean, limit: number): Promise<DueFollow[]>;
  /** Claims a calendar; undefined if another replica was faster or reads another calendar of the guild, or it follows no more. */
  claim(due: DueFollow, now: EpochMs, leaseUntil: EpochMs): Promise<FollowClaim | undefined>;
  /** Prolongs a claim; false if it is over. */
  renew(claim: DueFollow, leaseUntil: EpochMs): Promise<boolean>;
  /** Stores the result of a read, and ends the claim; false if it is over. */
  release(claim: DueFollow, reading: FollowReading): Promise<boolean>;
  find(of: CalendarReference): Promise<FollowReading | undefined>;
  /** The numbers of the guild's calendars that follow an address. */
  listFollowed(guildId: GuildId): Promise<number[]>;
  /** Number of calendars that should have been read before a time, counted up to `max`. */
  countOverdue(before: EpochMs, max: number): Promise<number>;
}

/** Needs the model of `calendarsStore`. */
export function followReadingsStore(connection: Connection): FollowReadingsStore {
  const model = () => connection.model<CalendarRow>("Calendar");
  const isActive = { "follow.followedAt": { $exists: true }, "follow.disabledAt": { $exists: false } };
  const claimed = ({ guildId, calendarNumber, fence }: DueFollow) => ({
    _id: calendarRowId(guildId, calendarNumber),
    guildId,
    "reading.fence": fence,
  });

  async function due(filter: object, order: string, limit: number): Promise<DueFollow[]> {
    const rows = await model()
      .find({ ...isActive, ...filter }, { guildId: 1, calendarNumber: 1, "reading.fence": 1 })
      .sort({ [order]: 1 })
      .limit(limit)
      .lean<CalendarRow[]>();
    return rows.map(({ guildId, calendarNumber, reading }) => ({
      guildId,
      calendarNumber,
      fence: reading?.fence ?? 0,
    }));
  }

  return {
    async listDue(now, areFailing, limit) {
      const failures = { "reading.failures": areFailing ? { $gt: 0 } : 0 };
      const at = { $lte: new Date(now) };
      const isFree = { "reading.nextAt": at, "reading.leaseUntil": { $exists: false } };
      const found = await Promise.all([
        due({ ...failures, "reading.leaseUntil": at }, "reading.leaseUntil", limit),
        due({ ...failures, ...isFree }, "reading.nextAt", limit),
      ]);
      return found.flat().slice(0, limit);
    },

    async claim(of, now, leaseUntil) {
      const isFree = [{ "reading.leaseUntil": { $exists: false } }, { "reading.leaseUntil": { $lte: new Date(now) } }];
      const update = {
        $set: { "reading.leaseUntil": new Date(leaseUntil), "reading.claimedAt": new Date(now) },
        $inc: { "reading.fence": 1 },
      };
      try {
        const row = await model()
          .findOneAndUpdate({ ...claimed(of), ...isActive, $or: isFree }, update, { returnDocument: "after" })
          .lean<CalendarRow>();
        if (row?.follow === undefined || row.reading === undefined) return undefined;
        return { ...of, fence: row.reading.fence, follow: row.follow, reading: readingOf(row.reading) };
      } catch (error) {
        if (isDuplicateKey(error)) return undefined;
        throw error;
      }
    },

    async renew(claim, leaseUntil) {
      const set = { $set: { "reading.leaseUntil": new Date(leaseUntil) } };
      return (await model().updateOne({ ...claimed(claim), ...isActive }, set)).matchedCount === 1;
    },

    async release(claim, { nextAt, ...reading }) {
      const { fence } = claim;
      const stored = { ...reading, nextAt: new Date(nextAt), fence };
      const literals = Object.entries(stored).map(([name, value]) => [name, { $literal: value }]);
      const next = { ...Object.fromEntries(literals), claimedAt: "$reading.claimedAt" };
      // `$set` would merge the objects, and keep the fields of the former reading.
      const update = [{ $replaceWith: { $setField: { field: "reading", input: "$$ROOT", value: next } } }];
      return (await model().updateOne(claimed(claim), update, { updatePipeline: true })).matchedCount === 1;
    },

    async find({ guildId, calendarNumber }) {
      const row = await model()
        .findOne({ _id: calendarRowId(guildId, calendarNumber), guildId })
        .lean<CalendarRow>();
      return row?.reading === undefined ? undefined : readingOf(row.reading);
    },

    async listFollowed(guildId) {
      const followed = { guildId, "follow.followedAt": { $exists: true } };
      const rows = await model().find(followed, { calendarNumber: 1 }).lean<Pick<CalendarRow, "calendarNumber">[]>();
      return rows.map(({ calendarNumber }) => calendarNumber);
    },

    countOverdue: (before, max) =>
      model()
        .countDocuments({ ...isActive, "reading.nextAt": { $lt: new Date(before) } })
        .limit(max)
        .exec(),
  };
}

function readingOf({ nextAt, claimedAt: _, leaseUntil: __, fence: ___, ...reading }: ReadingRow): FollowReading {
  return { failures: 0, ...reading, nextAt: nextAt?.getTime() ?? 0 };
}
