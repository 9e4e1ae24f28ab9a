import { hash } from "node:crypto";
import { v7, validate, version } from "uuid";
import type { EpochMs, WriteId } from "../../services/contracts/ids.ts";

export function newWriteId(): WriteId {
  return v7() as WriteId;
}

export function isWriteId(value: unknown): value is WriteId {
  return typeof value === "string" && validate(value) && version(value) === 7;
}

/** The creation time of the id, in epoch milliseconds. */
export function timeOfWriteId(id: WriteId): EpochMs {
  return Number.parseInt(id.replace("-", "").slice(0, 12), 16);
}

/** Bytes that depend only on the id, and are as random as the id; at most 32. */
export function bytesFromWriteId(id: WriteId, length: number): Uint8Array {
  return hash("sha256", id, "buffer").subarray(0, length);
}
