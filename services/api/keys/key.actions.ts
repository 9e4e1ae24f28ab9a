import type { Context, ServiceSchema } from "moleculer";
import { type CallContext, serve } from "../../../mixins/actions/contract-action.ts";
import { broadcast } from "../../../mixins/actions/typed-calls.ts";
import {
  apiKeyChanged,
  createKey,
  listKeyChanges,
  listKeys,
  revokeKey,
  rotateKey,
} from "../../contracts/api-keys.contract.ts";
import type { CallMeta } from "../../contracts/contract.ts";
import { isRefusal } from "../../contracts/errors.ts";
import type { ApiKeyManagement } from "./api-key-management.ts";

/** The actions for API keys. A rotation or revocation is broadcast, so that every gateway removes the key from its cache. */
export function keyActions(management: ApiKeyManagement): NonNullable<ServiceSchema["actions"]> {
  return {
    ...serve(createKey, (params, context) => management.create(params, callerId(context))),

    ...serve(listKeys, (params) => management.list(params)),

    ...serve(listKeyChanges, (params) => management.changes(params)),

    ...serve(rotateKey, async ({ id, overlapHours }, context) => {
      const issued = await management.rotate(id, overlapHours, callerId(context));
      return isRefusal(issued) ? issued : broadcastChange(context, id, issued);
    }),

    ...serve(revokeKey, async ({ id }, context) => {
      const outcome = await management.revoke(id, callerId(context));
      return isRefusal(outcome) ? outcome : broadcastChange(context, id, undefined);
    }),
  };
}

function broadcastChange<Result>(context: Context<unknown, CallMeta>, id: string, result: Result): Result {
  broadcast(context, apiKeyChanged, { id });
  return result;
}

/** The id of the key that made the call, for the record of the change. */
function callerId({ meta }: CallContext<unknown>): string {
  return meta.caller?.keyId ?? "the bus";
}
