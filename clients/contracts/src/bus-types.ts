import type { Actions, ErrorCode, Events, FieldProblem } from "./contract-types.ts";

/** Name of an action that a bus user may call. */
export type ActionName = keyof Actions;
export type ParamsOf<Name extends ActionName> = Actions[Name]["params"];
export type ResultOf<Name extends ActionName> = Actions[Name]["result"];

/** Name of an event that a bus user receives. */
export type EventName = keyof Events;
export type PayloadOf<Name extends EventName> = Events[Name];

/** A broker or a context of Moleculer 0.14 or 0.15. */
export interface ActionCaller {
  call(name: string, params: object, options?: object): Promise<unknown>;
}

/** Options of Moleculer's `call`. */
export interface CallOptions {
  /** Milliseconds; by default the broker's `requestTimeout`. */
  readonly timeout?: number;
  /** Attempts after the first one; by default none. A write has the same id in each attempt, so that it is performed once. */
  readonly retries?: number;
  readonly meta?: {
    /** A UUID of version 7. A call with the same id repeats the same write. */
    readonly writeId?: string;
  };
}

/** A member of `events` in the schema of a service. */
export interface EventListener {
  readonly context: true;
  handler(context: { readonly params?: unknown }): void | Promise<void>;
}

/** The connection of a bus user. */
export interface JoinOptions<Authenticator> {
  /** Name of the bus user, as in `npm run bus-users -- create`. */
  readonly user: string;
  /** Address of the NATS server, such as `nats://127.0.0.1:4222`. */
  readonly url: string;
  /** `nkeyAuthenticator` of the package `nats`, with the seed of the user. */
  readonly authenticator: Authenticator;
}

/** Options of Moleculer's broker with which a bus user joins. */
export interface BusBrokerOptions<Authenticator> {
  namespace: string;
  transporter: { type: "NATS"; options: { url: string; authenticator: Authenticator } };
  transit: { disableVersionCheck: boolean; serviceChangedDebounceTime: number };
  serializer: "CBOR";
  disableBalancer: boolean;
  requestTimeout: number;
  retryPolicy: { enabled: boolean; retries: number };
}

/** A refusal of guildcal, as it arrives over the bus. */
export interface ActionError extends Error {
  readonly type: ErrorCode;
  /** The HTTP status of the error. */
  readonly code: number;
  readonly data?: {
    /** Every bad param, for INVALID_REQUEST and TOO_MANY_ENTRIES. */
    readonly problems?: readonly FieldProblem[];
  };
}
