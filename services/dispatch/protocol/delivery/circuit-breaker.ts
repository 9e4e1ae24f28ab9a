import type { EpochMs } from "../../../contracts/ids.ts";
import type { SinkName } from "../../domain/post/post.ts";
import type { Outage } from "../../domain/post/wait.ts";
import type { Ports } from "../ports.ts";
import type { Timing } from "../timing.ts";

/** Sinks through which nothing can be sent until an operator acts; one post tries again now and then. */
export interface Halts {
  halt(sink: SinkName, reason: string): void;
  /** Why nothing is sent through it now; undefined when it is open. */
  reasonFor(sink: SinkName): string | undefined;
  /** The latest stretches in which nothing was sent through it. */
  outages(sink: SinkName): readonly Outage[];
}

const MAX_OUTAGES = 10;

export function newHalts({ clock, reports }: Ports, { haltMs }: Timing): Halts {
  const halted = new Map<SinkName, { readonly until: EpochMs; readonly reason: string }>();
  const outages = new Map<SinkName, readonly Outage[]>();

  /** A halt that follows another at once goes on with it. */
  function note(sink: SinkName, until: EpochMs, detail: string): void {
    const now = clock.now();
    const before = outages.get(sink) ?? [];
    const last = before.at(-1);
    const goesOn = last !== undefined && now - last.until <= haltMs;
    const from = goesOn ? last.from : now;
    const known = goesOn ? before.slice(0, -1) : before;
    outages.set(sink, [...known, { cause: "SINK_HALTED", sink, from, until, detail } as const].slice(-MAX_OUTAGES));
  }

  return {
    halt(sink, reason) {
      reports.trouble("sink halted", { sink, reason });
      const until = clock.now() + haltMs;
      halted.set(sink, { until, reason });
      note(sink, until, reason);
    },
    reasonFor(sink) {
      const halt = halted.get(sink);
      return halt !== undefined && clock.now() < halt.until ? halt.reason : undefined;
    },
    outages: (sink) => outages.get(sink) ?? [],
  };
}
