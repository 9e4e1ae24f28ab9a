import type { ChangeKind, EncodedChange } from "../../contracts/guild-changes.contract.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import type { OccurrenceType, WebhookType } from "../../contracts/webhooks.contract.ts";
import { isOccurrenceType } from "./notified-since.ts";

/** The types of changes; the others are of instants. */
type ChangeType = Exclude<WebhookType, OccurrenceType>;

/** The kinds of records, in the changes of a guild, that each type needs. */
const KIND_OF: Readonly<Record<ChangeType, ChangeKind>> = {
  "event.created": "event",
  "event.updated": "event",
  "event.deleted": "event",
  "announcement.posted": "post",
  "announcement.missed": "post",
  "announcement.failed": "post",
  "announcement.cancelled": "post",
  "settings.updated": "settings",
  "calendar.updated": "calendar",
};

/** The type of each outcome of a post. A skipped post was never owed. */
const OUTCOMES: Readonly<Record<string, WebhookType>> = {
  sent: "announcement.posted",
  missed: "announcement.missed",
  failed: "announcement.failed",
  unknown: "announcement.failed",
  cancelled: "announcement.cancelled",
};

/** The kinds to read for a webhook. */
export function kindsOf(types: readonly WebhookType[]): ChangeKind[] {
  return [...new Set(types.flatMap((type) => (isOccurrenceType(type) ? [] : KIND_OF[type])))];
}

/** The newest delivery about a record, as far as later ones depend on it. */
export interface KnownRecord {
  readonly revision: number;
  readonly digests: readonly string[];
}

/** A record of a change, as far as its type depends on it. */
export interface ChangedState {
  /** Everything that existed at this time was read before, by the database server's clock. */
  readonly completeUntil: EpochMs;
  readonly known: KnownRecord | undefined;
  /** The state of a post. */
  readonly postState?: unknown;
}

/**
 * The type of a change; undefined if no type reports it. A change is the newest state of a record, so an event that was
 * created and updated between two reads has a later revision than the first: it is new if there is no delivery about it, and if
 * it did not exist at the read before.
 */
export function typeOf(
  { kind, id, revision, deleted }: Pick<EncodedChange, "kind" | "id" | "revision" | "deleted">,
  { completeUntil, known, postState }: ChangedState,
): WebhookType | undefined {
  if (kind === "settings") return deleted ? undefined : "settings.updated";
  if (kind === "calendar") return deleted ? undefined : "calendar.updated";
  if (kind === "post") return OUTCOMES[String(postState)];
  if (kind !== "event") return undefined;
  if (deleted) return "event.deleted";
  const isNew = revision === 1 || (known === undefined && creationTime(id) >= completeUntil - CLOCK_DIFFERENCE_MS);
  return isNew ? "event.created" : "event.updated";
}

/** The time in an event's id is from the gateway's clock, which may differ from the database server's. */
const CLOCK_DIFFERENCE_MS = 10_000;

/** The time in an event's id (D12): ten base-32 digits behind the `e`. */
export function creationTime(eventId: string): EpochMs {
  return Number.parseInt(eventId.slice(1, 11), 32);
}

/** The names of the fields whose digests differ, or that only one of the two records has. */
export function changedFields(known: readonly string[], digests: readonly string[]): string[] {
  const [before, after] = [new Set(known), new Set(digests)];
  const differing = [...known.filter((each) => !after.has(each)), ...digests.filter((each) => !before.has(each))];
  return [...new Set(differing.map((each) => each.slice(0, each.lastIndexOf(":"))))].toSorted();
}

export interface BodyParts {
  readonly type: WebhookType;
  readonly webhookId: string;
  readonly guildId: GuildId;
  readonly change: EncodedChange;
  /** Absent if the revision before is not known. */
  readonly changed?: readonly string[] | undefined;
}

/**
 * The body of a request: type, timestamp and data, as Standard Webhooks recommends. The record is inserted as it was encoded,
 * because a parsed one would lose digits of 64-bit ids.
 */
export function bodyOf({ type, webhookId, guildId, change, changed }: BodyParts): string {
  const { kind, id, revision, changedAt, json } = change;
  const data = JSON.stringify({
    webhook_id: webhookId,
    guild_id: guildId,
    id,
    revision,
    ...(changed === undefined ? {} : { changed_fields: changed }),
  });
  const record = json === undefined ? "" : `,"${kind}":${json}`;
  const timestamp = new Date(changedAt).toISOString();
  return `{"type":"${type}","timestamp":"${timestamp}","data":${data.slice(0, -1)}${record}}}`;
}
