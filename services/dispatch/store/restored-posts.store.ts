import type { Connection } from "mongoose";
import type { Window } from "../../contracts/window.ts";
import { lateReason } from "../domain/post/late-reason.ts";
import { type HeartbeatRow, heartbeatSchema } from "./heartbeat.document.ts";
import { type PostRow, postSchema } from "./post.document.ts";

/**
 * Records that the outcomes from the moment of a backup until its restore are lost. Posts that were due and not sent at
 * that moment may have been sent since: they become `sending` without an owner, as after a worker that vanished, and are
 * looked up at the receiver. No service may run. Returns the number of these posts.
 */
export async function recordRestore(connection: Connection, { from, until }: Window): Promise<number> {
  const posts = connection.model<PostRow>("Post", postSchema);
  const heartbeats = connection.model<HeartbeatRow>("Heartbeat", heartbeatSchema);
  const reason = lateReason([{ cause: "RESTORED", from, until, ms: until - from }]);
  const inDoubt = {
    state: "sending",
    fence: { $add: ["$fence", 1] },
    doubtSince: { $max: ["$dueAt", new Date(from)] },
    wakeAt: new Date(until),
    reason: { $literal: reason },
  };
  const due = { state: "planned", dueAt: { $lte: new Date(until) } } as const;
  const { modifiedCount } = await posts.updateMany(due, [{ $set: inDoubt }], { updatePipeline: true });
  const outage = { from: new Date(from), until: new Date(until), isDatabases: false, isRestore: true };
  // Without a heartbeat dispatch has never run, and has sent nothing.
  await heartbeats.updateOne({ _id: "dispatch" }, { $set: { beatAt: new Date(until) }, $push: { outages: outage } });
  return modifiedCount;
}
