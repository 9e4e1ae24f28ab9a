import { createHash } from "node:crypto";
import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { GuildSettings } from "../../../contracts/guild-settings.contract.ts";
import type { GuildId, OccurrenceId } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { ChatMessage } from "../../domain/message/chat-message.ts";
import { formerIds } from "../../domain/plan/former-ids.ts";
import type { MessageState } from "../../domain/post/message-state.ts";
import type { Owners } from "../ports.ts";

/** Occurrences of a guild that start at one instant, among which that of a message is searched. */
const MAX_AT_ONE_START = 1_000;

/**
 * The occurrence that a message shows, as it is now; null if it does not exist any more. An occurrence whose series was split, or
 * whose event became a series or a single event, has another id at the same start.
 */
export async function readShownOccurrence(
  owners: Pick<Owners, "occurrence" | "occurrences">,
  guildId: GuildId,
  { occurrenceId, startsAt }: Pick<MessageState, "occurrenceId" | "startsAt">,
): Promise<Occurrence | null> {
  const found = await owners.occurrence(guildId, occurrenceId);
  if (found !== null) return found;
  const windows = [{ from: startsAt, until: startsAt + 1 }];
  const { occurrences } = await owners.occurrences({ guildId, windows, limit: MAX_AT_ONE_START, texts: false });
  const successor = occurrences.find((one) => isSuccessor(one, occurrenceId));
  return successor === undefined ? null : owners.occurrence(guildId, successor.occurrenceId);
}

function isSuccessor(occurrence: Occurrence, former: OccurrenceId): boolean {
  return occurrence.eventId === former.split("_", 1)[0] || formerIds(occurrence).includes(former);
}

/** The fingerprint of everything that a message is made from, except the name of the guild. */
export function stateFingerprint(
  { revision }: Pick<AnnouncementRule, "revision">,
  occurrence: Occurrence | null,
  settings: GuildSettings,
): string {
  return fingerprint([revision, occurrence, settings]);
}

/** The fingerprint of the parts of a message that an edit replaces. */
export function messageFingerprint({ content, embeds }: ChatMessage): string {
  return fingerprint([content, embeds]);
}

function fingerprint(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 24);
}
