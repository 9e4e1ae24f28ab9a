import { randomUUID } from "node:crypto";

/**
 * W3C Trace Context, section 3.2: version, trace id, parent id, flags. A later version may have more fields after a
 * hyphen.
 */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

const SAMPLED = 1;

/** The parent of a span, in its trace. */
export interface TraceParent {
  readonly traceId: string;
  readonly parentId: string;
  readonly isSampled: boolean;
}

/**
 * Parses a `traceparent`; undefined if it is absent or malformed (3.2.2). Version 00 defines only the flag "sampled".
 */
export function readTraceparent(header: string | undefined): TraceParent | undefined {
  const [, version, traceId, parentId, flags = "00", rest] = TRACEPARENT.exec(header ?? "") ?? [];
  if (traceId === undefined || parentId === undefined || (version === "00" && rest !== undefined)) return undefined;
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export function writeTraceparent({ traceId, parentId, isSampled }: TraceParent): string {
  return `00-${traceId}-${parentId}-0${isSampled ? SAMPLED : 0}`;
}

/**
 * The `traceparent` of the work for a request: in the trace of the header, or in a new one without a valid header.
 * The parent id is new.
 */
export function childTraceparent(header: string | undefined): string {
  const [own, parentId] = newIds();
  const { traceId, isSampled } = readTraceparent(header) ?? { traceId: own, isSampled: false };
  return writeTraceparent({ traceId, parentId, isSampled });
}

/** The trace id of a `traceparent`, for the log. */
export function traceIdIn(traceparent: string | undefined): string | undefined {
  return traceparent?.slice(3, 35);
}

/**
 * A trace id and a parent id from the digits of one UUID. Node generates many UUIDs at once; random bytes would be a
 * system call each. Neither id is all zeros, and a parent id need be unique only within its trace.
 */
function newIds(): [traceId: string, parentId: string] {
  const traceId = randomUUID().replaceAll("-", "");
  return [traceId, traceId.slice(16)];
}
