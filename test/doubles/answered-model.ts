import type { Readable } from "../../mixins/mongo/short-reads.ts";

/** A model whose database answers each command as it is told to. */
export function answeredModel(command: (asked: never) => Promise<unknown>): Readable {
  const session = { endSession: async () => undefined };
  const db = { client: { startSession: () => session }, command };
  return { db: { db: db as never }, collection: { name: "rows" } };
}
