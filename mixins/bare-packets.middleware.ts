import type { Middleware } from "moleculer";

/** What Moleculer puts on the bus, as far as this is concerned; its declarations leave it out. */
interface Packet {
  readonly type: string;
  payload: object;
}

interface Request {
  readonly id: string;
  readonly action: string;
  readonly params: unknown;
  readonly meta: object;
  readonly timeout: number;
  readonly level: number;
  readonly headers: object;
  readonly tracing: unknown;
  readonly parentID: unknown;
  readonly requestID: unknown;
  readonly caller: unknown;
  readonly stream: boolean;
}

interface Answer {
  readonly id: string;
  readonly success: boolean;
  readonly data: unknown;
  readonly error?: unknown;
  readonly meta: object;
  readonly headers: object | null;
  readonly stream?: boolean;
}

/**
 * What travels is what the other side needs. Six of the fourteen fields of Moleculer's own requests are nearly always
 * empty, or say again what another one says; both sides pay for each (test/bench/README.md).
 */
export const barePackets = {
  name: "bare packets",
  transitPublish:
    <Outcome>(next: (packet: Packet) => Outcome) =>
    (packet: Packet): Outcome => {
      if (packet.type === "REQ") packet.payload = bareRequest(packet.payload as Request);
      else if (packet.type === "RES") packet.payload = bareAnswer(packet.payload as Answer);
      return next(packet);
    },
  // Declared by Moleculer as if the hook published by itself.
} as unknown as Middleware;

const NOTHING = {};

/** Of a call that no other call has led to, and that carries nothing but its params: Moleculer's request has its id. */
function bareRequest(request: Request): object {
  const { id, action, params, meta, timeout, level, headers, tracing, parentID, requestID, caller, stream } = request;
  const isPlain = tracing === null && parentID === null && caller === null && !stream && isEmpty(headers);
  return isPlain && requestID === id ? { id, action, params, meta, timeout, level } : request;
}

/**
 * Never with what its request came with, as Moleculer would: whose it is, and of which trace. Whoever asked knows that,
 * and it is often more than the answer.
 */
function bareAnswer(answer: Answer): object {
  const { id, success, data, error, headers, stream } = answer;
  return stream === true || error !== undefined || !isEmpty(headers)
    ? { ...answer, meta: NOTHING }
    : { id, success, data };
}

function isEmpty(fields: object | null): boolean {
  return fields === null || Object.keys(fields).length === 0;
}
