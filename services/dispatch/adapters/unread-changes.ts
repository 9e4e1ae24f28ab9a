import type { ServiceBroker } from "moleculer";
import { callAction } from "../../../mixins/actions/typed-calls.ts";
import { announcementsCountChanges } from "../../contracts/announcements.contract.ts";
import { calendarEventsCountChanges } from "../../contracts/calendar-events.contract.ts";
import { guildSettingsCountChanges } from "../../contracts/guild-settings.contract.ts";
import type { FeedProgress } from "../protocol/planning/change-feed-consumer.ts";

const COUNTS = {
  announcements: announcementsCountChanges,
  "calendar-events": calendarEventsCountChanges,
  "guild-settings": guildSettingsCountChanges,
};
const MAX_COUNTED = 10_000;
const TIMEOUT_MS = 2_000;

/** The number of changes that dispatch has not read yet, as far as it is known; up to 10 000 are counted. */
export type UnreadChanges = (progress: Pick<FeedProgress, "feed" | "unread">) => Promise<number>;

/** Asks the owners. Their changes are not counted while they are out of reach, which is reported elsewhere. */
export function unreadChanges(broker: ServiceBroker): UnreadChanges {
  return async ({ feed, unread }) => {
    const counts = unread.map((part) =>
      callAction(broker, COUNTS[feed], { ...part, limit: MAX_COUNTED }, { timeout: TIMEOUT_MS }).catch(() => 0),
    );
    return (await Promise.all(counts)).reduce((one, other) => one + other, 0);
  };
}
