import { CHANGE_KINDS, MAX_DELIVERED, type RecordPosition } from "../../contracts/guild-changes.contract.ts";
import { LAST_EPOCH_MS, type EpochMs, type GuildId } from "../../contracts/ids.ts";
import { perKind, type SyncPosition } from "../domain/sync-position.ts";

/** A position in the changes of a guild, with the time at which it was reached. */
export interface SyncState {
  readonly guildId: GuildId;
  /** A time before the read that reached the position, by the database server's clock. */
  readonly readAt: EpochMs;
  readonly position: SyncPosition;
}

/** Version of the form of a token; a token of another version is refused. */
const VERSION = "1";
const DIGEST_BYTES = 8;

/**
 * The token of a state: the state itself, so that every gateway can go on from it. It has no secrets, and is not signed: a
 * changed token can only omit or repeat changes of the guild that its user may read.
 */
export function encodeSyncToken({ guildId, readAt, position }: SyncState): string {
  const marks = CHANGE_KINDS.map((kind) => {
    const { at, id, delivered } = position[kind];
    return [at, id, delivered.length];
  });
  const digests = CHANGE_KINDS.flatMap((kind) => position[kind].delivered);
  const packed = Buffer.concat(digests.map((digest) => Buffer.from(digest, "base64url")));
  const head = Buffer.from(JSON.stringify([guildId, readAt, marks]));
  return [VERSION, head.toString("base64url"), packed.toString("base64url")].join(".");
}

/** The state of a token; undefined for any other text. */
export function decodeSyncToken(token: string): SyncState | undefined {
  const [version, head = "", packed = "", ...rest] = token.split(".");
  if (version !== VERSION || rest.length > 0) return undefined;
  const contents = parseHead(Buffer.from(head, "base64url").toString());
  if (contents === undefined) return undefined;
  const [guildId, readAt, marks] = contents;
  const bytes = Buffer.from(packed, "base64url");
  // `Buffer.from` ignores characters that are not base64url. A text with such characters is no token.
  if (bytes.toString("base64url") !== packed) return undefined;
  if (bytes.length !== DIGEST_BYTES * marks.reduce((sum, [, , count]) => sum + count, 0)) return undefined;
  let offset = 0;
  const take = (count: number) =>
    Array.from({ length: count }, () => {
      const digest = bytes.subarray(offset, (offset += DIGEST_BYTES));
      return digest.toString("base64url");
    });
  const position = perKind((kind): RecordPosition => {
    const [at, id, count] = marks[CHANGE_KINDS.indexOf(kind)] as Mark;
    return { at, id, delivered: take(count) };
  });
  return { guildId: guildId as GuildId, readAt, position };
}

type Mark = readonly [at: EpochMs, id: string, count: number];

const MAX_ID_LENGTH = 200;

function parseHead(text: string): [guildId: string, readAt: EpochMs, marks: readonly Mark[]] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(value) || value.length !== 3) return undefined;
  const [guildId, readAt, marks] = value as unknown[];
  if (typeof guildId !== "string" || !isInstant(readAt)) return undefined;
  if (!Array.isArray(marks) || marks.length !== CHANGE_KINDS.length || !marks.every(isMark)) return undefined;
  const count = marks.reduce((sum, [, , each]) => sum + each, 0);
  return count > MAX_DELIVERED ? undefined : [guildId, readAt, marks];
}

function isMark(value: unknown): value is Mark {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [at, id, count] = value as unknown[];
  const isId = typeof id === "string" && id.length <= MAX_ID_LENGTH && id.isWellFormed();
  const isCount = Number.isInteger(count) && (count as number) >= 0;
  return isInstant(at) && isId && isCount;
}

function isInstant(value: unknown): value is EpochMs {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LAST_EPOCH_MS;
}
