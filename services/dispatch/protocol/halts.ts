import type { EpochMs } from "../../contracts/ids.ts";
import type { SinkName } from "../domain/post.ts";
import type { Ports } from "./ports.ts";
import type { Timing } from "./timing.ts";

/** Sinks through which nothing can be sent until an operator acts; one post tries again now and then. */
export interface Halts {
  halt(sink: SinkName, reason: string): void;
  /** Why nothing is sent through it now; undefined when it is open. */
  reasonFor(sink: SinkName): string | undefined;
}

export function newHalts({ clock, reports }: Ports, { haltMs }: Timing): Halts {
  const halted = new Map<SinkName, { readonly until: EpochMs; readonly reason: string }>();
  return {
    halt(sink, reason) {
      reports.trouble("sink halted", { sink, reason });
      halted.set(sink, { until: clock.now() + haltMs, reason });
    },
    reasonFor(sink) {
      const halt = halted.get(sink);
      return halt !== undefined && clock.now() < halt.until ? halt.reason : undefined;
    },
  };
}
