import { hash } from "node:crypto";
import { isWriteId, newWriteId, timeOfWriteId } from "../../../mixins/mongo/write-id.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import type { EpochMs, WriteId } from "../../contracts/ids.ts";

/** Largest age of a write id, by the database server's clock. */
const MAX_AGE_MS = 3_600_000;
/** How far a write id may be ahead of the database server's clock. */
const MAX_AHEAD_MS = 60_000;

/**
 * The write id for the owners, derived from the user's name and the user's id. Owners respond to every retry of a write id alike:
 * without the name a user could read the outcome of another caller's write. The time in the id stays, because it orders
 * created resources.
 */
export function scopedWriteId(user: string, writeId: unknown, now: EpochMs): WriteId | Refusal {
  if (writeId === undefined) return newWriteId();
  if (!isWriteId(writeId)) return invalidWriteId("must be a UUID of version 7");
  const age = now - timeOfWriteId(writeId);
  if (age > MAX_AGE_MS || age < -MAX_AHEAD_MS) return invalidWriteId("must have been created within the last hour");
  const digest = hash("sha256", `${user} ${writeId.toLowerCase()}`, "hex");
  const variant = "89ab".charAt(Number.parseInt(digest.charAt(3), 16) % 4);
  const scoped = `${writeId.slice(0, 14)}7${digest.slice(0, 3)}-${variant}${digest.slice(4, 7)}-${digest.slice(7, 19)}`;
  return scoped.toLowerCase() as WriteId;
}

function invalidWriteId(message: string): Refusal {
  return refuse("INVALID_REQUEST", [{ field: "meta.writeId", code: "MALFORMED", message }]);
}
