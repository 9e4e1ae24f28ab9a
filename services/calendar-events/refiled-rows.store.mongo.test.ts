import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type FilledCalendar, openCalendar } from "../../test/calendar/filled-calendar.ts";
import { twentyYears } from "../../test/calendar/many-events.ts";
import { emptyDatabase } from "../../test/real-parts/test-services.ts";
import type { GuildId } from "../contracts/ids.ts";
import type { EventRow } from "./calendar-event.document.ts";
import { filedOnce } from "./event-filing.ts";
import { refileOldRows } from "./refiled-rows.store.ts";

const guildId = "1" as GuildId;
const OLD_KEYS = { guildId: 1, lane: 1, fork: 1 } as const;

describe("rows that an older version filed", () => {
  let calendar: FilledCalendar;
  let rows: () => Promise<EventRow[]>;
  const phased = { lane: "1/d1/0", fork: 2 ** 31, phase: 7, lastAt: Number.MAX_SAFE_INTEGER };
  beforeAll(async () => {
    calendar = await openCalendar(emptyDatabase());
    const events = calendar.connection.collection<EventRow>("calendar_events");
    rows = () => events.find().sort({ _id: 1 }).toArray();
    await calendar.fill(guildId, twentyYears(2_500));
    const moved = { startsAt: 5, endsAt: 9 };
    const own = { eventId: "e", original: 3, cancelled: false, guildId, calendarNumber: 1, ...moved };
    const override = { _id: "e_3", ...own, ...filedOnce({ calendarNumber: 1 }, "moved", moved) };
    await events.insertOne(override as never);
    await events.insertOne({ _id: "tombstone", guildId, revision: 2, deletedAt: new Date() } as EventRow);
  });
  afterAll(() => calendar.connection.close());

  /** In the three ways of older versions. */
  async function fileAsBefore(): Promise<void> {
    const events = calendar.connection.collection<EventRow>("calendar_events");
    const $unset = { filed: "" } as const;
    const lanes = await events.distinct("lane", { "filed.2": { $exists: true } });
    const [some, rest] = [lanes.slice(0, 2), lanes.slice(2)];
    await events.updateMany({ lane: { $in: some } }, { $set: { nodes: [1, 2], phase: 7 }, $unset });
    await events.updateMany({ lane: { $in: rest } }, { $set: phased, $unset });
    await events.updateMany({ lane: "1/one", startsAt: { $mod: [2, 0] } }, { $set: { fork: 1, phase: 0 }, $unset });
    await events.updateMany(
      { lane: { $in: ["1/one", "1/moved"] }, filed: { $exists: true } },
      { $set: { fork: 1 }, $unset },
    );
    await events.createIndexes([
      { key: { ...OLD_KEYS, phase: 1, lastAt: 1 } },
      { key: { ...OLD_KEYS, startsAt: 1, lastAt: 1 } },
      { key: { guildId: 1, lane: 1, nodes: 1, phase: 1 } },
    ]);
  }

  test("are filed as if they were written now, once, and keep everything else; two may do it at once", async () => {
    const before = await rows();
    await fileAsBefore();
    await expect(rows()).resolves.not.toEqual(before);
    await Promise.all([refileOldRows(calendar.connection), refileOldRows(calendar.connection)]);
    await expect(rows()).resolves.toEqual(before);
    const indexes = await calendar.connection.collection("calendar_events").indexes();
    expect(indexes.filter(({ key }) => "fork" in key || "nodes" in key)).toEqual([]);
  });
});
