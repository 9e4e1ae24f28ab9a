import type { ServiceBroker } from "moleculer";
import { callAction } from "../../../mixins/actions/typed-calls.ts";
import type { GuildSettings } from "../../contracts/guild-settings.contract.ts";
import type { GuildId } from "../../contracts/ids.ts";
import {
  listOccurrenceSubscriptions,
  type OccurrenceSubscription,
  webhooksChangesSince,
} from "../../contracts/occurrence-notifications.contract.ts";
import type { Occurrence } from "../../contracts/occurrences.contract.ts";
import type { OccurrenceType } from "../../contracts/webhooks.contract.ts";
import { LONG_TIMEOUT_MS, ownerServices } from "../adapters/owner-services.ts";
import { notificationRule, notificationRules } from "../domain/notification/notification-rule.ts";
import type { Owners } from "../protocol/ports.ts";
import type { SubscribedGuilds } from "./subscribed-guilds.ts";

/**
 * The owners for the plan of notifications: the service of webhooks has the rules, which take the place of announcements. The
 * claim of a notification does not ask it again, since `deliverOccurrence` looks for the webhooks at that time.
 */
export function notificationOwners(broker: ServiceBroker, guilds: Pick<SubscribedGuilds, "note">): Owners {
  const owners = ownerServices(broker);

  async function subscriptions(guildIds: readonly GuildId[]): Promise<readonly OccurrenceSubscription[]> {
    const found = await callAction(broker, listOccurrenceSubscriptions, { guildIds }, { timeout: LONG_TIMEOUT_MS });
    guilds.note(
      guildIds,
      found.map(({ guildId }) => guildId),
    );
    return found;
  }

  return {
    announcementRules: async (guildId) => (await subscriptions([guildId])).flatMap(notificationRules),
    announcingGuilds: async (guildIds) => (await subscriptions(guildIds)).map(({ guildId }) => guildId),
    announcement: (guildId, id) => Promise.resolve(notificationRule(guildId, id as string as OccurrenceType, 0)),
    async occurrences(params) {
      const { occurrences, ...read } = await owners.occurrences(params);
      return { ...read, occurrences: occurrences.map(withoutPauses) };
    },
    async occurrence(guildId, occurrenceId) {
      const occurrence = await owners.occurrence(guildId, occurrenceId);
      return occurrence && withoutPauses(occurrence);
    },
    digest: () => Promise.resolve(null),
    // Notifications do not depend on settings; the protocol reads whether a post is branded.
    settings: (guildId) => Promise.resolve({ guildId, branded: false } as GuildSettings),
    changesSince: (feed, params) =>
      feed === "announcements"
        ? callAction(broker, webhooksChangesSince, params, { timeout: LONG_TIMEOUT_MS })
        : owners.changesSince(feed, params),
    isReachable: () => owners.isReachable(),
  };
}

/** A pause is for posts: an event starts and ends in any case (D62). */
function withoutPauses({ eventPausedUntil: _, calendarPausedUntil: __, ...occurrence }: Occurrence): Occurrence {
  return occurrence;
}
