import type { ServiceBroker } from "moleculer";
import { asRefusal } from "../../../mixins/actions/contract-action.ts";
import { isBusUp } from "../../../mixins/bus/nats-transporter.ts";
import { callAction } from "../../../mixins/actions/typed-calls.ts";
import { announcementsChangesSince, getAnnouncement } from "../../contracts/announcements.contract.ts";
import { listAnnouncementRules, listAnnouncingGuilds } from "../../contracts/announcement-rules.contract.ts";
import { calendarEventsChangesSince } from "../../contracts/calendar-events.contract.ts";
import {
  getOccurrence,
  type GetOccurrenceParams,
  listOccurrencesStarting,
  readDigest,
} from "../../contracts/occurrences.contract.ts";
import type { ActionContract } from "../../contracts/contract.ts";
import type { ErrorType } from "../../contracts/errors.ts";
import { getGuildSettings, guildSettingsChangesSince } from "../../contracts/guild-settings.contract.ts";
import type { Owners } from "../protocol/ports.ts";

/** Timeout of calls at the due instant, which are retried. */
const QUICK_TIMEOUT_MS = 1_000;
/** Timeout of calls that read a whole guild or a page of changes, and of calls that a user waits for. */
export const LONG_TIMEOUT_MS = 5_000;

const CHANGES = {
  announcements: announcementsChangesSince,
  "calendar-events": calendarEventsChangesSince,
  "guild-settings": guildSettingsChangesSince,
};

/**
 * Calls the actions of the other services.
 *
 * @param quickTimeoutMs - Timeout of calls that read one thing.
 */
export function ownerServices(broker: ServiceBroker, quickTimeoutMs = QUICK_TIMEOUT_MS): Owners {
  function call<Params extends object, Result>(
    contract: ActionContract<Params, Result>,
    params: Params,
    timeout: number,
  ): Promise<Result> {
    return callAction(broker, contract, params, { timeout });
  }

  return {
    announcementRules: (guildId, formerAfter) => call(listAnnouncementRules, { guildId, formerAfter }, LONG_TIMEOUT_MS),
    announcingGuilds: (guildIds) => call(listAnnouncingGuilds, { guildIds }, LONG_TIMEOUT_MS),
    announcement: (guildId, id) =>
      call(getAnnouncement, { guildId, id }, quickTimeoutMs).catch(nullWhen("ANNOUNCEMENT_NOT_FOUND")),
    occurrences: (params) => call(listOccurrencesStarting, params, LONG_TIMEOUT_MS),
    occurrence: (guildId, occurrenceId, holidaysOf) =>
      call(getOccurrence, { guildId, occurrenceId, ...holidaysParam(holidaysOf) }, quickTimeoutMs),
    digest: (params) => call(readDigest, params, quickTimeoutMs),
    settings: (guildId) => call(getGuildSettings, { guildId }, quickTimeoutMs),
    changesSince: (feed, params) =>
      call(CHANGES[feed], params, LONG_TIMEOUT_MS).catch((error: unknown) => {
        // A previous release of the owner does not know the param. The reader drops changes of other partitions.
        const { partitions, ...others } = params;
        if (partitions === undefined || asRefusal(error)?.refusal !== "INVALID_REQUEST") throw error;
        return call(CHANGES[feed], others, LONG_TIMEOUT_MS);
      }),
    isReachable: () => isBusUp(broker),
  };
}

/** A previous release of the owner does not know the param. */
function holidaysParam(calendarNumber: number | undefined): Pick<GetOccurrenceParams, "holidaysOf"> {
  return calendarNumber === undefined ? {} : { holidaysOf: [calendarNumber] };
}

/** Turns the refusal "not found" into null. Every other error means that the state is not known. */
function nullWhen(gone: ErrorType): (error: unknown) => null {
  return (error) => {
    if (asRefusal(error)?.refusal === gone) return null;
    throw error;
  };
}
