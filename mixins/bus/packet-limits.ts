import { type CborLimits, cborProblem } from "./cbor-check.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * The largest message of the NATS server (`max_payload` in services/launch/embedded/embedded-nats.ts and
 * k8s/components/nats). A larger response is sent in parts.
 */
export const MAX_PAYLOAD_BYTES = 640 * KIB;
/** Size of one part of a large response. */
export const PART_BYTES = 512 * KIB;

/** Params from a body of 64 KiB (D8), and a caller with a key of a thousand guilds. */
const REQUEST: CborLimits = { bytes: 128 * KIB, items: 20_000, containers: 5_000, keys: 10_000 };
/**
 * The largest response goes to dispatch: a thousand announcements of a thousand roles and a thousand users each. Lists
 * for clients end at 4 MiB (D38).
 */
const RESPONSE: CborLimits = { bytes: 48 * MIB, items: 2_500_000, containers: 100_000, keys: 300_000 };
/** The largest event: the counts of a gateway against its rate limits (services/api/rates). */
const EVENT: CborLimits = { bytes: 128 * KIB, items: 20_000, containers: 5_000, keys: 10_000 };
/** The largest INFO lists the actions and events of all services in one process: 24 KiB, when there were five services. */
const INFO: CborLimits = { bytes: 128 * KIB, items: 20_000, containers: 5_000, keys: 10_000 };
/** A packet with a sender and a few numbers. */
const SIGNAL: CborLimits = { bytes: KIB, items: 40, containers: 10, keys: 20 };

/**
 * Limits by command of Moleculer's protocol. Any other command (DISCOVER, DISCONNECT, HEARTBEAT, PING, PONG) has SIGNAL.
 */
const LIMITS: Readonly<Record<string, CborLimits>> = { REQ: REQUEST, RES: RESPONSE, EVENT, INFO };

/**
 * The sender refuses a larger request with an error. A receiver would drop the request, and the caller would wait for
 * the timeout.
 */
export const MAX_REQUEST_BYTES = REQUEST.bytes;
/** Largest size of a response that is sent in parts. All unfinished responses of a process hold twice this size at most. */
export const MAX_RESPONSE_BYTES = RESPONSE.bytes;

/** Returns the reason why the bytes must not be decoded as a packet of that command; undefined if they may be. */
export function packetProblem(command: string, data: Uint8Array): string | undefined {
  return cborProblem(data, LIMITS[command] ?? SIGNAL);
}
