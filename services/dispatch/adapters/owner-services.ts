import type { ServiceBroker } from "moleculer";
import { asRefusal } from "../../../mixins/actions/contract-action.ts";
import { isBusUp } from "../../../mixins/bus/nats-transporter.ts";
import { callAction } from "../../../mixins/actions/typed-calls.ts";
import {
  announcementsChangesSince,
  getAnnouncement,
  listAnnouncementRules,
  listAnnouncingGuilds,
} from "../../contracts/announcements.contract.ts";
import { calendarEventsChangesSince } from "../../contracts/calendar-events.contract.ts";
import { getOccurrence, listOccurrencesStarting } from "../../contracts/occurrences.contract.ts";
import type { ActionContract } from "../../contracts/contract.ts";
import type { ErrorType } from "../../contracts/errors.ts";
import { getGuildSettings, guildSettingsChangesSince } from "../../contracts/guild-settings.contract.ts";
import type { Owners } from "../protocol/ports.ts";

/** Timeout of calls at the due instant; a second try follows. */
const QUICK_MS = 1_000;
/** Timeout of calls that read a whole guild or a page of changes, or that a user waits for. */
export const LONG_MS = 5_000;

const CHANGES = {
  announcements: announcementsChangesSince,
  "calendar-events": calendarEventsChangesSince,
  "guild-settings": guildSettingsChangesSince,
};

/**
 * The other services, by their actions. Calls are not retried here: the callers repeat what they still need.
 *
 * @param quickMs - How long the answer about one thing is waited for, in milliseconds.
 */
export function ownersOnTheBus(broker: ServiceBroker, quickMs = QUICK_MS): Owners {
  function call<Params extends object, Result>(
    contract: ActionContract<Params, Result>,
    params: Params,
    timeout: number,
  ): Promise<Result> {
    return callAction(broker, contract, params, { timeout, retries: 0 });
  }

  return {
    announcementRules: (guildId, formerAfter) => call(listAnnouncementRules, { guildId, formerAfter }, LONG_MS),
    announcingGuilds: (guildIds) => call(listAnnouncingGuilds, { guildIds }, LONG_MS),
    announcement: (guildId, id) =>
      call(getAnnouncement, { guildId, id }, quickMs).catch(nullWhen("ANNOUNCEMENT_NOT_FOUND")),
    occurrences: (params) => call(listOccurrencesStarting, params, LONG_MS),
    occurrence: (guildId, occurrenceId) => call(getOccurrence, { guildId, occurrenceId }, quickMs),
    settings: (guildId) => call(getGuildSettings, { guildId }, quickMs),
    changesSince: (feed, params) => call(CHANGES[feed], params, LONG_MS),
    reachable: () => isBusUp(broker),
  };
}

/** Turns the refusal "not found" into null; every other error means that there is no answer. */
function nullWhen(gone: ErrorType): (error: unknown) => null {
  return (error) => {
    if (asRefusal(error)?.refusal === gone) return null;
    throw error;
  };
}
