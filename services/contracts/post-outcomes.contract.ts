import { OFFSET_ANCHORS, offsetsRule } from "./announcement-offsets.ts";
import { broadcastEvent, type EventContract } from "./contract.ts";
import { POST_STATES, REASON_CODES, type SettledPost } from "./dispatch.contract.ts";
import { epochMs, guildId, integer, oneOf, optional, snowflake, text, textOf } from "./field-rules.ts";
import { ANNOUNCEMENT_ID, type GuildId, SUBJECT_ID } from "./ids.ts";
import type { SteppedMessage } from "./posted-messages.ts";

/** The outcome of a post, with its guild. */
export interface PostOutcome extends Omit<SettledPost, keyof SteppedMessage> {
  readonly guildId: GuildId;
}
const eventIdRule = textOf("the id of an event, an occurrence or a digest", SUBJECT_ID, 50);
const outcome: EventContract<PostOutcome>["payload"] = {
  guildId,
  announcementId: textOf("an announcement's id", ANNOUNCEMENT_ID, 36),
  eventId: eventIdRule,
  startsAt: epochMs,
  anchor: optional(oneOf(OFFSET_ANCHORS)),
  offsetMinutes: optional(offsetsRule.items.props.minutes),
  dueAt: integer(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  channel: snowflake,
  state: oneOf(POST_STATES),
  claimedAt: optional(epochMs),
  settledAt: epochMs,
  lateMs: optional(integer(0, Number.MAX_SAFE_INTEGER)),
  reason: optional(text(2_000)),
  reasonCode: optional(oneOf(REASON_CODES)),
  messageId: optional(text(200)),
};
/** Broadcast for each outcome of a post (D34). */
export const announcementPosted = broadcastEvent<PostOutcome>({ name: "announcement.posted", payload: outcome });
export const announcementMissed = broadcastEvent<PostOutcome>({ name: "announcement.missed", payload: outcome });
export const announcementFailed = broadcastEvent<PostOutcome>({ name: "announcement.failed", payload: outcome });
