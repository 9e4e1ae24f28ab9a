import * as bus from "./bus.ts";
import type {
  ActionCaller,
  ActionError,
  ActionName,
  BusBrokerOptions,
  CallOptions,
  EventListener,
  EventName,
  JoinOptions,
  ParamsOf,
  PayloadOf,
  ResultOf,
} from "./bus-types.ts";
import type { ErrorCode } from "./contract-types.ts";

export * from "./contract-types.ts";
export type * from "./bus-types.ts";

/** The options of a broker that joins as a bus user. docs/nats.md has the reason for each option. */
export const brokerOptions: <Authenticator>(options: JoinOptions<Authenticator>) => BusBrokerOptions<Authenticator> =
  bus.brokerOptions;

/**
 * Calls an action of guildcal. A write has an id, which each retry of Moleculer repeats, so that it is performed once. Rejects
 * with an `ActionError`, or with an error of Moleculer.
 */
export const call: <Name extends ActionName>(
  caller: ActionCaller,
  name: Name,
  params: ParamsOf<Name>,
  options?: CallOptions,
) => Promise<ResultOf<Name>> = bus.call;

/** The listener of an event, for `events` in the schema of a service: `events: { ...on("announcement.posted", …) }`. */
export const on: <Name extends EventName>(
  name: Name,
  listener: (payload: PayloadOf<Name>) => unknown,
) => Readonly<Record<Name, EventListener>> = bus.on;

/** Whether an error is a refusal of guildcal; with codes, whether it is a refusal with one of these codes. */
export const isActionError: (error: unknown, ...codes: ErrorCode[]) => error is ActionError = bus.isActionError;

/** A new id for `meta.writeId`: a UUID of version 7. */
export const newWriteId: () => string = bus.newWriteId;
