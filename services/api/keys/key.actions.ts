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

/** The actions for API keys. A change is broadcast, so that every gateway removes the key from its cache. */
export function keyActions(management: ApiKeyManagement): NonNullable<ServiceSchema["actions"]> {
  return {
    ...serve(createKey, (params, context) => management.create(params, holderOf(context))),

    ...serve(listKeys, (params) => management.list(params)),

    ...serve(listKeyChanges, (params) => management.changes(params)),

    ...serve(rotateKey, async ({ id, overlapHours }, context) => {
      const told = await management.rotate(id, overlapHours, holderOf(context));
      return isRefusal(told) ? told : tell(context, id, told);
    }),

    ...serve(revokeKey, async ({ id }, context) => {
      const done = await management.revoke(id, holderOf(context));
      return isRefusal(done) ? done : tell(context, id, undefined);
    }),
  };
}

function tell<Result>(context: Context<unknown, CallMeta>, id: string, result: Result): Result {
  broadcast(context, apiKeyChanged, { id });
  return result;
}

/** The id of the key that made the call, for the record of changes. */
function holderOf({ meta }: CallContext<unknown>): string {
  return meta.caller?.keyId ?? "the bus";
}
