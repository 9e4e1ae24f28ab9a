import type { CallContext } from "../../mixins/actions/contract-action.ts";
import { callAction } from "../../mixins/actions/typed-calls.ts";
import { removeAnnouncementsOfEvent } from "../contracts/announcements.contract.ts";
import type { EventReference } from "../contracts/calendar-events.contract.ts";
import { refuse } from "../contracts/errors.ts";

/**
 * Removes the announcements of a removed event. The event is removed first: otherwise a failure could remove the
 * announcements of an event that stays. Announcements without an event never fire; after a failure lists mark them as
 * dangling.
 */
export async function removeAnnouncements({ guildId, eventId }: EventReference, context: CallContext<unknown>) {
  const removal = callAction(context, removeAnnouncementsOfEvent, { guildId, eventId });
  return removal.catch(() => refuse("OUTCOME_UNKNOWN", undefined, ANNOUNCEMENTS_LEFT));
}

const ANNOUNCEMENTS_LEFT =
  "The event is deleted, but some of its announcements may be left: they are marked as dangling in the list";
