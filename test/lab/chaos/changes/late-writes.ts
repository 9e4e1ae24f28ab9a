import { setTimeout as pause } from "node:timers/promises";
import type { Connection } from "mongoose";

/** A write may be stored within ten seconds from its time (D48). */
const STORED_AFTER_MS = 3_000;

/**
 * Changes events, one after the other, as a slow owner does: the write gets its time, and is stored three seconds later, after
 * later ones. The events must have no other writer.
 */
export async function writeLate(database: Connection, eventIds: readonly string[]): Promise<void> {
  const events = database.collection<{ readonly _id: string }>("calendar_events");
  const change = [{ $set: { name: "late", revision: { $add: ["$revision", 1] }, changedAt: "$$NOW" } }];
  for (const _id of eventIds) {
    const session = await database.startSession();
    session.startTransaction();
    const { modifiedCount } = await events.updateOne({ _id }, change, { session });
    await pause(STORED_AFTER_MS * (0.5 + Math.random() / 2));
    await session.commitTransaction();
    await session.endSession();
    if (modifiedCount !== 1) throw new Error(`no event ${_id} is stored`);
  }
}
