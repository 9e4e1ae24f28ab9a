import type { ServiceSchema } from "moleculer";
import { serve } from "../../../mixins/actions/contract-action.ts";
import { callAction } from "../../../mixins/actions/typed-calls.ts";
import { getCalendar } from "../../contracts/calendars.contract.ts";
import { createFeed, listFeeds, listFeedsPage, revokeFeed, rotateFeed } from "../../contracts/feeds.contract.ts";
import type { FeedManagement } from "./feed-management.ts";

/** The actions for feeds. `onChange` is called with the feed's id after each rotation or revocation, also a refused one. */
export function feedActions(
  management: FeedManagement,
  onChange: (id: string) => void,
): NonNullable<ServiceSchema["actions"]> {
  return {
    ...serve(createFeed, async (params, context) => {
      const { guildId, calendarNumber } = params;
      // The call refuses a calendar that the guild may not have.
      await callAction(context, getCalendar, { guildId, calendarNumber });
      return management.create(params);
    }),

    ...serve(listFeeds, ({ guildId }) => management.list(guildId)),

    ...serve(listFeedsPage, ({ guildId, ...params }) => management.listPage(guildId, params)),

    ...serve(rotateFeed, async ({ guildId, id }) => {
      const rotated = await management.rotate(guildId, id);
      onChange(id);
      return rotated;
    }),

    ...serve(revokeFeed, async ({ guildId, id }) => {
      const revoked = await management.revoke(guildId, id);
      onChange(id);
      return revoked;
    }),
  };
}
