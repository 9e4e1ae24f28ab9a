import type { PostOffset } from "../../../contracts/announcement-offsets.ts";
import type { Announcement } from "../../../contracts/announcements.contract.ts";
import type { GuildSettings } from "../../../contracts/guild-settings.contract.ts";
import { type MessageTemplate, usesPlaceholder } from "../../../contracts/message-template.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";

/** The settings that messages depend on. */
export const MESSAGE_SETTINGS = [
  "lang",
  "branded",
  "simpleAnnouncements",
  "twelveHour",
  "template",
] as const satisfies (keyof GuildSettings)[];

type MessageSettings = Pick<GuildSettings, (typeof MESSAGE_SETTINGS)[number]>;

/** Everything that a message is made from. */
export interface MessageInput {
  readonly announcement: Announcement;
  readonly occurrence: Occurrence;
  readonly settings: MessageSettings;
  /** The offset of the post; the first one of the announcement if absent. */
  readonly offset?: PostOffset | undefined;
  /** Shown as the author if the setting `branded` is on, and by a placeholder. */
  readonly guildName?: string | undefined;
}

/** The template of an announcement: its own, or else the guild's as a whole (D61). */
export function templateOf(
  { template }: Pick<Announcement, "template">,
  settings: Pick<MessageSettings, "template">,
): MessageTemplate | undefined {
  return template ?? settings.template;
}

/** Whether a message shows the guild's name, which a sink has to read. */
export function showsGuildName(
  announcement: Pick<Announcement, "template">,
  settings: Pick<MessageSettings, "branded" | "template">,
): boolean {
  return settings.branded || usesPlaceholder(templateOf(announcement, settings), "guild");
}
