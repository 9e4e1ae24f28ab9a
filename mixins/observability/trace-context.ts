import { randomUUID } from "node:crypto";

/** W3C Trace Context, section 3.2: version, trace id, parent id, flags; a later version may go on behind a hyphen. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

const SAMPLED = 1;

/** The work that led to something, in its trace. */
export interface TraceParent {
  readonly traceId: string;
  readonly parentId: string;
  readonly isSampled: boolean;
}

/** What a `traceparent` names; undefined where it is absent or malformed (3.2.2). Of the flags only "sampled" is known to version 00. */
export function readTraceparent(header: string | undefined): TraceParent | undefined {
  const [, version, traceId, parentId, flags = "00", rest] = TRACEPARENT.exec(header ?? "") ?? [];
  if (traceId === undefined || parentId === undefined || (version === "00" && rest !== undefined)) return undefined;
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export function writeTraceparent({ traceId, parentId, isSampled }: TraceParent): string {
  return `00-${traceId}-${parentId}-0${isSampled ? SAMPLED : 0}`;
}

/**
 * The `traceparent` of what is done for a request: of the trace that its sender is in, or of a new one where the
 * header names none. The parent id is our own.
 */
export function childTraceparent(header: string | undefined): string {
  const [own, parentId] = newIds();
  const { traceId, isSampled } = readTraceparent(header) ?? { traceId: own, isSampled: false };
  return writeTraceparent({ traceId, parentId, isSampled });
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
