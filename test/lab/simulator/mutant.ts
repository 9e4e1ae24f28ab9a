import type { Dispatcher } from "../../../services/dispatch/protocol/dispatcher.ts";
import type { Ports } from "../../../services/dispatch/protocol/ports.ts";
import type { Timing } from "../../../services/dispatch/protocol/timing.ts";
import type { Sink } from "../../../services/dispatch/sinks/sink.ts";
import type { MemoryPostStore } from "./memory-post-store.ts";
import type { SharedWorld } from "./shared-world.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The protocol without one of its protections. The oracle must find a broken promise. */
export interface Mutant {
  readonly ports?: (ports: Ports, world: SharedWorld) => Ports;
  readonly store?: (store: MemoryPostStore, time: VirtualTime) => MemoryPostStore;
  /** Milliseconds by which the store's clock is ahead of the database's. */
  readonly storeAheadMs?: number;
  readonly dispatcher?: (dispatcher: Dispatcher) => Dispatcher;
  readonly timing?: Partial<Timing>;
}

export function withSink(ports: Ports, change: (sink: Sink) => Partial<Sink>): Ports {
  return { ...ports, sinks: ports.sinks.map((sink) => ({ ...sink, ...change(sink) })) };
}
