import type { Announcement } from "../../../contracts/announcements.contract.ts";
import type { GuildSettings } from "../../../contracts/guild-settings.contract.ts";
import type { AnnouncementId, OccurrenceId } from "../../../contracts/ids.ts";
import type { DraftedAnnouncements } from "../../../contracts/owner-drafts.contract.ts";
import { MESSAGE_SETTINGS } from "../message/message-input.ts";
import type { UnmovedPost } from "./compare-plans.ts";

/** Tells which posts may have another message after changes, although they are due at the same time. */
export interface MessageChanges {
  /** Whether the settings change every message. */
  readonly byEveryAnnouncement: boolean;
  /**
   * Returns a function for the reason why a message may differ; undefined for a post whose message stays the same.
   *
   * @param altered - The occurrences of which something else than the start was changed.
   */
  of(altered: ReadonlySet<OccurrenceId>): (unmoved: UnmovedPost) => string | undefined;
}

export function messageChanges(
  { before, after }: { readonly before: GuildSettings; readonly after: GuildSettings },
  stored: ReadonlyMap<AnnouncementId, Announcement>,
  changed: DraftedAnnouncements["changed"],
): MessageChanges {
  const byEveryAnnouncement = MESSAGE_SETTINGS.some(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
  const reworded = new Set(
    changed.flatMap(({ id, announcement }) =>
      announcement === undefined || shownKey(stored.get(id)) === shownKey(announcement) ? [] : [id],
    ),
  );
  return {
    byEveryAnnouncement,
    of: (altered) => (unmoved) => {
      const { announcementId, occurrenceId } = unmoved.after;
      if (byEveryAnnouncement) return "the settings were changed";
      if (reworded.has(announcementId)) return "the announcement was changed";
      if (altered.has(occurrenceId)) return "the event was changed";
      return unmoved.before.occurrenceId === occurrenceId ? undefined : "the series was split";
    },
  };
}

/** A text that differs if an announcement differs in a field that its messages show. */
function shownKey(announcement: Announcement | undefined): string {
  if (announcement === undefined) return "";
  const { info, infoOnly, template, digest, subscribersRole, subscribersUser } = announcement;
  return JSON.stringify([info, infoOnly, template, digest, subscribersRole, subscribersUser]);
}
