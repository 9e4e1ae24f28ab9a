import { parsePosixRule } from "./posix-rule.ts";
import { type OffsetChange, withoutNoOpChanges, type ZoneRules } from "./zone-rules.ts";

const MAGIC = "TZif";
const HEADER_BYTES = 44;
/** No zone of the database has more changes; a file with more is not a valid one. */
const MAX_CHANGES = 5_000;

/**
 * Parses a TZif file (RFC 9636) of version 2 or later. Undefined for any other file, a truncated one, and one that
 * counts leap seconds, which POSIX time does not.
 */
export function parseTzif(bytes: Uint8Array): ZoneRules | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const old = headerAt(view, 0);
    if (old === undefined || old.version < 2) return undefined;
    const header = headerAt(view, HEADER_BYTES + blockBytes(old, 4));
    return header === undefined || header.leapSeconds > 0 || header.changes > MAX_CHANGES
      ? undefined
      : rulesAt(view, header);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

interface Header {
  readonly version: number;
  /** Offset of its data block, in bytes. */
  readonly at: number;
  readonly utcFlags: number;
  readonly standardFlags: number;
  readonly leapSeconds: number;
  readonly changes: number;
  readonly types: number;
  readonly letters: number;
}

/** The header (RFC 9636, section 3.1). */
function headerAt(view: DataView, at: number): Header | undefined {
  if (textIn(view, at, at + 4) !== MAGIC) return undefined;
  const count = (place: number) => view.getUint32(at + 20 + 4 * place);
  const version = Number(textIn(view, at + 4, at + 5)) || 1;
  return {
    version,
    at: at + HEADER_BYTES,
    utcFlags: count(0),
    standardFlags: count(1),
    leapSeconds: count(2),
    changes: count(3),
    types: count(4),
    letters: count(5),
  };
}

function blockBytes({ changes, types, letters, leapSeconds, utcFlags, standardFlags }: Header, timeBytes: number) {
  return changes * (timeBytes + 1) + types * 6 + letters + leapSeconds * (timeBytes + 4) + utcFlags + standardFlags;
}

/** The data block and the footer (RFC 9636, sections 3.2 and 3.3). */
function rulesAt(view: DataView, header: Header): ZoneRules | undefined {
  const typesAt = header.at + header.changes * 9;
  const offsetOf = (type: number) => view.getInt32(typesAt + type * 6) * 1000;
  const changes: OffsetChange[] = [];
  for (let index = 0; index < header.changes; index += 1) {
    const at = Number(view.getBigInt64(header.at + index * 8)) * 1000;
    changes.push({ at, offset: offsetOf(view.getUint8(header.at + header.changes * 8 + index)) });
  }
  const footerAt = header.at + blockBytes(header, 8);
  const footer = /^\n([^\n]*)\n/.exec(textIn(view, footerAt, view.byteLength))?.[1];
  if (footer === undefined) return undefined;
  const yearly = parsePosixRule(footer);
  return yearly === undefined ? undefined : withoutNoOpChanges({ first: offsetOf(0), changes, yearly });
}

function textIn(view: DataView, from: number, until: number): string {
  let text = "";
  for (let at = from; at < until; at += 1) text += String.fromCharCode(view.getUint8(at));
  return text;
}
