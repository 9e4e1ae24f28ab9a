import { ACCESS } from "./access.ts";
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
import { ERROR_CODES, type ErrorCode } from "./contract-types.ts";

/** The options of a bus user's broker. docs/nats.md has the reason for each option. */
export function brokerOptions<Authenticator>({
  user,
  url,
  authenticator,
}: JoinOptions<Authenticator>): BusBrokerOptions<Authenticator> {
  return {
    namespace: `guildcal-bus.${user}`,
    transporter: { type: "NATS", options: { url, authenticator } },
    transit: { disableVersionCheck: true, serviceChangedDebounceTime: 0 },
    serializer: "CBOR",
    disableBalancer: true,
    requestTimeout: 8_000,
    // Moleculer retries calls only if its retry policy is enabled. By default a call has no retries: a write that is not made
    // by `call` has no id, and could be performed twice.
    retryPolicy: { enabled: true, retries: 0 },
  };
}

export async function call<Name extends ActionName>(
  caller: ActionCaller,
  name: Name,
  params: ParamsOf<Name>,
  options: CallOptions = {},
): Promise<ResultOf<Name>> {
  const meta = ACCESS[name] === "write" ? { writeId: newWriteId(), ...options.meta } : options.meta;
  const result = await caller.call(name, params, meta === undefined ? options : { ...options, meta });
  return result as ResultOf<Name>;
}

export function on<Name extends EventName>(
  name: Name,
  listener: (payload: PayloadOf<Name>) => unknown,
): Readonly<Record<Name, EventListener>> {
  // Moleculer 0.14 passes only the payload to a handler, unless this option or the names of its arguments ask for the context.
  const handler: EventListener["handler"] = ({ params }) => listener(params as PayloadOf<Name>) as void | Promise<void>;
  return { [name]: { context: true, handler } } as Record<Name, EventListener>;
}

/** An error that arrives over the bus has its type, and not its class. */
export function isActionError(error: unknown, ...codes: ErrorCode[]): error is ActionError {
  const { type } = Object(error) as Partial<ActionError>;
  const expected: readonly ErrorCode[] = codes.length === 0 ? ERROR_CODES : codes;
  return error instanceof Error && type !== undefined && expected.includes(type);
}

/** A UUID of version 7 (RFC 9562, section 5.7): 48 bits of time, and 74 random bits. */
export function newWriteId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const view = new DataView(bytes.buffer);
  const now = Date.now();
  view.setUint32(0, Math.floor(now / 2 ** 16));
  view.setUint16(4, now % 2 ** 16);
  view.setUint8(6, 0x70 | (view.getUint8(6) & 0x0f));
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f));
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
