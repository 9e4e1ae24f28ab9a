import type { CallingOptions } from "moleculer";
import type { ActionContract, EventContract } from "../../services/contracts/contract.ts";

/** A broker, or the context of a call, which passes its meta on to the next call. */
export interface ActionCaller {
  call(action: string, params: object, options?: CallingOptions): Promise<unknown>;
}

interface Broadcaster {
  broadcast(event: string, payload: object, options?: { readonly groups: string[] }): Promise<unknown>;
}

/**
 * Calls an action by its contract. Rejects with the refusal of its owner (see `asRefusal`) or with an error of
 * Moleculer.
 */
export function callAction<Params extends object, Result>(
  caller: ActionCaller,
  contract: Pick<ActionContract<Params, Result>, "name" | "types">,
  params: Params,
  options?: CallingOptions,
): Promise<Result> {
  return caller.call(contract.name, params, options) as Promise<Result>;
}

/** Sends an event to all listeners, at most once each; with `groups`, only to those services. */
export function broadcast<Payload extends object>(
  broadcaster: Broadcaster,
  contract: Pick<EventContract<Payload>, "name">,
  payload: Payload,
  options?: { readonly groups: string[] },
): void {
  void broadcaster.broadcast(contract.name, payload, options);
}
