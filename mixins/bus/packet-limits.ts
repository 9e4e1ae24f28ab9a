import { type CborLimits, cborProblem } from "./cbor-check.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * The NATS server takes no larger message (`max_payload`, services/launch/embedded/embedded-nats.ts and k8s/components/nats).
 * A larger answer travels in parts.
 */
export const MAX_PAYLOAD_BYTES = 640 * KIB;
/** Of a large answer, in one message. */
export const PART_BYTES = 512 * KIB;

/** Params from a body of 64 KiB (D8), beside a caller with a key of a thousand guilds. */
const REQUEST: CborLimits = { bytes: 128 * KIB, items: 20_000, containers: 5_000, keys: 10_000 };
/** To dispatch: a thousand announcements of a thousand roles and a thousand users each. Lists for keys end at 4 MiB (D38). */
const RESPONSE: CborLimits = { bytes: 48 * MIB, items: 2_500_000, containers: 100_000, keys: 300_000 };
/** The largest: what a gateway counted against its limits (services/api/rates). */
const EVENT: CborLimits = { bytes: 128 * KIB, items: 20_000, containers: 5_000, keys: 10_000 };
/** The actions and events of all five services in one process: 24 KiB. */
const INFO: CborLimits = { bytes: 128 * KIB, items: 20_000, containers: 5_000, keys: 10_000 };
/** A sender, and a few numbers. */
const SIGNAL: CborLimits = { bytes: KIB, items: 40, containers: 10, keys: 20 };

/** By Moleculer's commands; those that are not named are signals: DISCOVER, DISCONNECT, HEARTBEAT, PING and PONG. */
const LIMITS: Readonly<Record<string, CborLimits>> = { REQ: REQUEST, RES: RESPONSE, EVENT, INFO };

/** Refused at the sender, where the error is heard: a receiver drops what is larger, and its caller waits in vain. */
export const MAX_REQUEST_BYTES = REQUEST.bytes;
/** A large answer is put together up to this size; all unfinished ones of a process together hold twice as much. */
export const MAX_RESPONSE_BYTES = RESPONSE.bytes;

/** Why the bytes are not decoded as a packet of that command; undefined when they may be. */
export function packetProblem(command: string, data: Uint8Array): string | undefined {
  return cborProblem(data, LIMITS[command] ?? SIGNAL);
}
