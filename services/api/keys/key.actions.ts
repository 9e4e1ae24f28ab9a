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
import type { KeyOffice } from "./key-office.ts";

/** What an operator does about keys, on the bus; every gateway is told of what it should forget. */
export function keyActions(office: KeyOffice): NonNullable<ServiceSchema["actions"]> {
  return {
    ...serve(createKey, (params, context) => office.create(params, holderOf(context))),

    ...serve(listKeys, (params) => office.list(params)),

    ...serve(listKeyChanges, (params) => office.changes(params)),

    ...serve(rotateKey, async ({ id, overlapHours }, context) => {
      const told = await office.rotate(id, overlapHours, holderOf(context));
      return isRefusal(told) ? told : tell(context, id, told);
    }),

    ...serve(revokeKey, async ({ id }, context) => {
      const done = await office.revoke(id, holderOf(context));
      return isRefusal(done) ? done : tell(context, id, undefined);
    }),
  };
}

function tell<Result>(context: Context<unknown, CallMeta>, id: string, result: Result): Result {
  broadcast(context, apiKeyChanged, { id });
  return result;
}

/** Whose hand it was, for the record. */
function holderOf({ meta }: CallContext<unknown>): string {
  return meta.caller?.keyId ?? "the bus";
}
