import type { Announcement } from "../../../contracts/announcements.contract.ts";
import { ANNOUNCEMENT_WORDS } from "./announcement-words.ts";
import type { ChatMessage } from "./chat-message.ts";
import { EMBED_COLORS } from "./embed-colors.ts";
import type { MessageInput } from "./message-input.ts";
import { MAX_FOOTER, MAX_TITLE } from "./message-limits.ts";
import { mentionParts } from "./subscriber-mentions.ts";
import { truncate } from "./truncate-text.ts";

/** Everything that the mark of a cancelled event is made from. */
export interface CancelledInput {
  readonly announcement: Announcement;
  readonly settings: MessageInput["settings"];
  readonly occurrenceId: string;
  /** The title that the message had. */
  readonly title: string;
}

const STRUCK = "~~";

/**
 * The message of an event that does not exist any more: its title is struck through, and a word says that it was cancelled (D67).
 * The texts of the event are gone.
 */
export function renderCancelled({ announcement, settings, occurrenceId, title }: CancelledInput): ChatMessage {
  const words = ANNOUNCEMENT_WORDS[settings.lang];
  const { subscribersRole, subscribersUser, id } = announcement;
  const shown = truncate(title, MAX_TITLE - 2 * STRUCK.length) || words.announcement;
  return withoutPings({
    content: mentionParts(subscribersRole, subscribersUser)[0]?.content ?? "",
    embeds: [
      {
        title: `${STRUCK}${shown}${STRUCK}`,
        description: words.cancelled,
        color: EMBED_COLORS.MERCURY,
        fields: [],
        ...(settings.simpleAnnouncements ? {} : { footer: truncate(words.ids(id, occurrenceId), MAX_FOOTER) }),
      },
    ],
  });
}

/** The message of an edit, which pings no subscriber again. */
export function withoutPings({ content, embeds }: Pick<ChatMessage, "content" | "embeds">): ChatMessage {
  return { content, embeds, allowedMentions: { parse: [], users: [], roles: [] } };
}
