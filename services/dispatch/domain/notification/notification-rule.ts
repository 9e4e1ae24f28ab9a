import type { PostOffset } from "../../../contracts/announcement-offsets.ts";
import type { Announcement } from "../../../contracts/announcements.contract.ts";
import type { AnnouncementId, EpochMs, GuildId } from "../../../contracts/ids.ts";
import {
  type NotifiedOccurrence,
  notifiedOccurrence,
  type OccurrenceNotification,
  type OccurrenceSubscription,
} from "../../../contracts/occurrence-notifications.contract.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import { OCCURRENCE_TYPES, type OccurrenceType } from "../../../contracts/webhooks.contract.ts";
import type { ChatMessage } from "../message/chat-message.ts";
import type { PlannedRule } from "../plan/fire-time.ts";

/** The instant of each type: an offset of 0 minutes from its anchor (D54). */
const OFFSETS = {
  "occurrence.started": { anchor: "START", minutes: 0 },
  "occurrence.ended": { anchor: "END", minutes: 0 },
} as const satisfies Record<OccurrenceType, PostOffset>;

/**
 * The rule of a type in the form of an announcement, which covers every occurrence of the guild. Its type is its id and takes the
 * place of a channel. A notification may come after the event, up to its grace time.
 */
export function notificationRule(guildId: GuildId, type: OccurrenceType, since: EpochMs): Announcement & PlannedRule {
  return {
    id: type as string as AnnouncementId,
    guildId,
    channel: type,
    type: "UNIVERSAL",
    eventId: "",
    eventColor: "NONE",
    hours: 0,
    minutes: 0,
    offsets: [OFFSETS[type]],
    info: "",
    enabled: true,
    infoOnly: false,
    subscribersRole: [],
    subscribersUser: [],
    revision: 1,
    standsSince: since,
    mayFollowEvent: true,
  };
}

/** The rules of a guild, one for each type of its webhooks. */
export function notificationRules({ guildId, since }: OccurrenceSubscription): PlannedRule[] {
  return OCCURRENCE_TYPES.flatMap((type) => {
    const subscribedAt = since[type];
    return subscribedAt === undefined ? [] : notificationRule(guildId, type, subscribedAt);
  });
}

type Content = Pick<OccurrenceNotification, "type" | "occurredAt"> & { readonly occurrence: NotifiedOccurrence };

/** The message of a notification: its content is the type, the instant and the occurrence as JSON. */
export function renderNotification({
  announcement: { channel },
  occurrence,
}: {
  readonly announcement: Pick<Announcement, "channel">;
  readonly occurrence: Occurrence;
}): readonly ChatMessage[] {
  const type = channel as OccurrenceType;
  const occurredAt = type === "occurrence.started" ? occurrence.startsAt : occurrence.endsAt;
  const content: Content = { type, occurredAt, occurrence: notifiedOccurrence(occurrence) };
  return [{ content: JSON.stringify(content), embeds: [], allowedMentions: { parse: [], users: [], roles: [] } }];
}

/** The inverse of `renderNotification`. */
export function notificationContent({ content }: Pick<ChatMessage, "content">): Content {
  return JSON.parse(content) as Content;
}
