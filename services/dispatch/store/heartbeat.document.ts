import { Schema } from "mongoose";
import type { Outage } from "../domain/post/wait.ts";

/** The first and last heartbeat of any replica, and the latest outages; one row for all replicas. */
export interface HeartbeatRow {
  readonly _id: "dispatch";
  readonly firstAt: Date;
  readonly beatAt: Date;
  readonly outages: readonly {
    readonly from: Date;
    readonly until: Date;
    /** Whether a replica ran during the whole outage and could not write. */
    readonly isDatabases: boolean;
    /** Whether the outcomes of the interval are lost, because the data were restored from a backup. */
    readonly isRestore?: boolean;
  }[];
}

export const heartbeatSchema = new Schema<HeartbeatRow>(
  {
    _id: { type: String, required: true },
    firstAt: Date,
    beatAt: Date,
    outages: [{ from: Date, until: Date, isDatabases: Boolean, isRestore: Boolean, _id: false }],
  } satisfies Record<keyof HeartbeatRow, unknown>,
  { collection: "dispatch_heartbeat", versionKey: false },
);

export function outageOf({ from, until, isDatabases, isRestore = false }: HeartbeatRow["outages"][number]): Outage {
  const downtime = isDatabases ? "DATABASE" : "DISPATCH_DOWN";
  return { cause: isRestore ? "RESTORED" : downtime, from: from.getTime(), until: until.getTime() };
}
