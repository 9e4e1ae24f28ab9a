import { hash } from "node:crypto";
import { isWriteId, newWriteId, timeOfWriteId } from "../../../mixins/mongo/write-id.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import type { EpochMs, WriteId } from "../../contracts/ids.ts";

/** How old the id of a write may be, and how far ahead of the database server's clock. */
const MAX_AGE_MS = 3_600_000;
const MAX_AHEAD_MS = 60_000;

/**
 * The id under which owners know a bus user's write. It follows from the user's name and the id that the user gave: owners
 * answer each try of a write alike, so that an id which another caller has used must not lead to that caller's outcome. The
 * time of the id stays, by which resources are in the order of their creation.
 */
export function ownWriteId(user: string, given: unknown, now: EpochMs): WriteId | Refusal {
  if (given === undefined) return newWriteId();
  if (!isWriteId(given)) return refusedId("must be a UUID of version 7");
  const age = now - timeOfWriteId(given);
  if (age > MAX_AGE_MS || age < -MAX_AHEAD_MS) return refusedId("must have been made within the last hour");
  const digest = hash("sha256", `${user} ${given.toLowerCase()}`, "hex");
  const variant = "89ab".charAt(Number.parseInt(digest.charAt(3), 16) % 4);
  const own = `${given.slice(0, 14)}7${digest.slice(0, 3)}-${variant}${digest.slice(4, 7)}-${digest.slice(7, 19)}`;
  return own.toLowerCase() as WriteId;
}

function refusedId(message: string): Refusal {
  return refuse("INVALID_REQUEST", [{ field: "meta.writeId", code: "MALFORMED", message }]);
}
