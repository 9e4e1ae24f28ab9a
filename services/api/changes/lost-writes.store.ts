import { type Connection, Schema } from "mongoose";
import type { Window } from "../../contracts/window.ts";

interface LostWritesRow {
  readonly _id: string;
  readonly from: Date;
  readonly until: Date;
}

const schema = new Schema<LostWritesRow>(
  {
    _id: { type: String, required: true },
    from: { type: Date, required: true },
    until: { type: Date, required: true },
  } satisfies Record<keyof LostWritesRow, unknown>,
  { collection: "lost_writes", versionKey: false },
);

/** The times between a backup and its restore. The writes of these times are lost. */
export interface LostWritesStore {
  /** Records a restore, during which no service runs. */
  record(lost: Window): Promise<void>;
  list(): Promise<Window[]>;
}

export function lostWritesStore(connection: Connection): LostWritesStore {
  const model = connection.model<LostWritesRow>("LostWrites", schema);
  return {
    async record({ from, until }) {
      const row = { _id: new Date(until).toISOString(), from: new Date(from), until: new Date(until) };
      await model.create(row);
    },
    async list() {
      const rows = await model.find().lean<LostWritesRow[]>();
      return rows.map(({ from, until }) => ({ from: from.getTime(), until: until.getTime() }));
    },
  };
}
