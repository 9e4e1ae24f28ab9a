import type { ActionSchema } from "moleculer";
import { serve } from "../../../mixins/actions/contract-action.ts";
import { draftOccurrences, showDraftOccurrences } from "../../contracts/owner-drafts.contract.ts";
import { type DraftStores, listDrafted, showDrafted } from "./list-drafted.ts";

/** The actions about changes that are stored nowhere (D58). */
export function draftActions(stores: DraftStores): Record<string, ActionSchema> {
  return {
    ...serve(draftOccurrences, (params) => listDrafted(stores, params)),
    ...serve(showDraftOccurrences, (params) => showDrafted(stores, params)),
  };
}
