import type { Middleware } from "moleculer";

/** What Moleculer puts on the bus, as far as this is concerned; its declarations leave it out. */
interface Packet {
  readonly type: string;
  readonly payload: { meta?: object };
}

const NOTHING = {};

/**
 * An answer travels alone. Moleculer would send back with it what its request came with: whose it is, and of which trace.
 * Whoever asked knows that, and it is often more than the answer.
 */
export const bareAnswers = {
  name: "bare answers",
  transitPublish:
    <Outcome>(next: (packet: Packet) => Outcome) =>
    (packet: Packet): Outcome => {
      if (packet.type === "RES") packet.payload.meta = NOTHING;
      return next(packet);
    },
  // Declared by Moleculer as if the hook published by itself.
} as unknown as Middleware;
