import type { EpochMs } from "../../../contracts/ids.ts";
import type { SinkName } from "../../domain/post/sink-name.ts";
import type { Outage } from "../../domain/post/wait.ts";
import type { Ports } from "../ports.ts";
import type { Timing } from "../timing.ts";

/**
 * Circuit breakers of the sinks. A sink's circuit opens when nothing can be sent through it until an operator acts. After
 * `circuitOpenMs` a post tries again.
 */
export interface CircuitBreaker {
  open(sink: SinkName, reason: string): void;
  /** Why the sink's circuit is open; undefined if it is closed. */
  openReason(sink: SinkName): string | undefined;
  /** The latest intervals in which the sink's circuit was open. */
  outages(sink: SinkName): readonly Outage[];
}

const MAX_OUTAGES = 10;

export function newCircuitBreaker({ clock, reports }: Ports, { circuitOpenMs }: Timing): CircuitBreaker {
  const circuits = new Map<SinkName, { readonly openUntil: EpochMs; readonly reason: string }>();
  const outages = new Map<SinkName, readonly Outage[]>();

  /** Extends the last outage if the circuit opens again soon after it. */
  function addOutage(sink: SinkName, until: EpochMs, detail: string): void {
    const now = clock.now();
    const before = outages.get(sink) ?? [];
    const last = before.at(-1);
    const continues = last !== undefined && now - last.until <= circuitOpenMs;
    const from = continues ? last.from : now;
    const known = continues ? before.slice(0, -1) : before;
    outages.set(sink, [...known, { cause: "SINK_HALTED", sink, from, until, detail } as const].slice(-MAX_OUTAGES));
  }

  return {
    open(sink, reason) {
      reports.operationFailed("sink halted", { sink, reason });
      const openUntil = clock.now() + circuitOpenMs;
      circuits.set(sink, { openUntil, reason });
      addOutage(sink, openUntil, reason);
    },
    openReason(sink) {
      const circuit = circuits.get(sink);
      return circuit !== undefined && clock.now() < circuit.openUntil ? circuit.reason : undefined;
    },
    outages: (sink) => outages.get(sink) ?? [],
  };
}
