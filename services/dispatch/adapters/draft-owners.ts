import type { ServiceBroker } from "moleculer";
import { callAction } from "../../../mixins/actions/typed-calls.ts";
import type { ActionContract } from "../../contracts/contract.ts";
import {
  draftAnnouncements,
  draftOccurrences,
  draftSettings,
  showDraftOccurrences,
} from "../../contracts/owner-drafts.contract.ts";
import type { DraftOwners } from "../queries/drafted-guild.ts";
import { LONG_TIMEOUT_MS, ownerServices } from "./owner-services.ts";

/** Calls the actions of the other services about changes that are stored nowhere (D58). */
export function draftOwners(broker: ServiceBroker): DraftOwners {
  function calling<Params extends object, Result>(contract: ActionContract<Params, Result>) {
    return (params: Params): Promise<Result> => callAction(broker, contract, params, { timeout: LONG_TIMEOUT_MS });
  }
  const owners = ownerServices(broker, LONG_TIMEOUT_MS);
  return {
    announcement: (guildId, id) => owners.announcement(guildId, id),
    draftSettings: calling(draftSettings),
    draftOccurrences: calling(draftOccurrences),
    showDraftOccurrences: calling(showDraftOccurrences),
    draftAnnouncements: calling(draftAnnouncements),
  };
}
