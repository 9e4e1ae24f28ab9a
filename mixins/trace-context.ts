import { randomUUID } from "node:crypto";

/** W3C Trace Context, section 3.2: version, trace id, parent id, flags; a later version may go on behind a hyphen. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/;

const SAMPLED = 1;

/**
 * The `traceparent` of what is done for a request: of the trace that its sender is in, or of a new one where the
 * header is absent or malformed (3.2.2). The parent id is our own; of the flags only "sampled" is known to version 00.
 */
export function traceparentAfter(header: string | undefined): string {
  const given = TRACEPARENT.exec(header ?? "");
  const [, version, traceId, flags = "00", rest] = given ?? [];
  const isFollowed = traceId !== undefined && (version !== "00" || rest === undefined);
  const sampled = isFollowed ? Number.parseInt(flags, 16) & SAMPLED : 0;
  return `00-${isFollowed ? traceId : newId(32)}-${newId(16)}-0${sampled}`;
}

/** The trace's id, for the log. */
export function traceIdIn(traceparent: string | undefined): string | undefined {
  return traceparent?.split("-", 2)[1];
}

/** Of the digits of UUIDs: Node draws many at once, where random bytes are a system call each; none is all zeros. */
function newId(digits: 16 | 32): string {
  const uuid = randomUUID();
  const last = uuid.slice(19, 23) + uuid.slice(24);
  return digits === 16 ? last : uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(14, 18) + last;
}
