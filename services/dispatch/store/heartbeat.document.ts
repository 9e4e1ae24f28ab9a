import { Schema } from "mongoose";
import type { Outage } from "../domain/post/wait.ts";

/** When a replica of dispatch first and last said that it ran, and the latest stretches in which none did; one row for all. */
export interface HeartbeatRow {
  readonly _id: "dispatch";
  readonly firstAt: Date;
  readonly beatAt: Date;
  readonly outages: readonly {
    readonly from: Date;
    readonly until: Date;
    /** Whether a replica ran all the while, and could not say so. */
    readonly isDatabases: boolean;
  }[];
}

export const heartbeatSchema = new Schema<HeartbeatRow>(
  {
    _id: { type: String, required: true },
    firstAt: Date,
    beatAt: Date,
    outages: [{ from: Date, until: Date, isDatabases: Boolean, _id: false }],
  },
  { collection: "dispatch_heartbeat", versionKey: false },
);

export function outageOf({ from, until, isDatabases }: HeartbeatRow["outages"][number]): Outage {
  return {
    cause: isDatabases ? "DATABASE" : "DISPATCH_DOWN",
    from: from.getTime(),
    until: until.getTime(),
  };
}
