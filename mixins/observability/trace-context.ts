import { randomUUID } from "node:crypto";

/** W3C Trace Context, section 3.2: version, trace id, parent id, flags; a later version may go on behind a hyphen. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/;

const SAMPLED = 1;

/**
 * The `traceparent` of what is done for a request: of the trace that its sender is in, or of a new one where the
 * header is absent or malformed (3.2.2). The parent id is our own; of the flags only "sampled" is known to version 00.
 */
export function traceparentAfter(header: string | undefined): string {
  const [own, ownParent] = newIds();
  const given = TRACEPARENT.exec(header ?? "");
  const [, version, traceId, flags = "00", rest] = given ?? [];
  const isFollowed = traceId !== undefined && (version !== "00" || rest === undefined);
  const sampled = isFollowed ? Number.parseInt(flags, 16) & SAMPLED : 0;
  return `00-${isFollowed ? traceId : own}-${ownParent}-0${sampled}`;
}

/** The trace's id, for the log. */
export function traceIdIn(traceparent: string | undefined): string | undefined {
  return traceparent?.slice(3, 35);
}

/**
 * A trace id and a parent id, of the digits of one UUID: Node draws many of those at once, where random bytes are a system
 * call each. None is all zeros, and a parent id has to be another one within its trace alone.
 */
function newIds(): [traceId: string, parentId: string] {
  const traceId = randomUUID().replaceAll("-", "");
  return [traceId, traceId.slice(16)];
}
