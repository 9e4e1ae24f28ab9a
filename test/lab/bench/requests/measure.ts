import { join } from "node:path";
import { NodeProcess } from "../../../harness/node-process.ts";
import { quantile } from "./figures.ts";
import type { Load, LoadOutcome } from "./load-process.ts";
import { MeasuredProcess, measuredOn } from "./measured-process.ts";
import { OTHER_CPU } from "./processors.ts";
import type { Row } from "./rows.ts";
import type { Subject } from "./subjects.ts";

/** The figures of one subject in one round. */
export interface Sample {
  readonly perSecond: number;
  /** Latencies in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time of all processes per request, in microseconds. */
  readonly cpu: number;
  /** The same by process name. */
  readonly cpuOf: Readonly<Record<string, number>>;
}

export interface Pace {
  readonly rounds: number;
  /** Number of requests in each round. */
  readonly requests: number;
  readonly connections: number;
}

/** Sends loads from a separate process. */
export class Loader {
  readonly #process = new MeasuredProcess(
    new NodeProcess({ script: join(import.meta.dirname, "load-process.ts"), ...measuredOn(OTHER_CPU) }),
  );

  async run(subject: Subject, row: Row, pace: Omit<Pace, "rounds">): Promise<Sample> {
    const load: Load = {
      ports: subject.ports,
      connections: pace.connections,
      requests: pace.requests,
      path: row.path,
      headers: { authorization: subject.key },
      bodies: row.bodies.map((body) => JSON.stringify(body)),
    };
    const before = await subject.usage();
    const { seconds, latencies } = await this.#process.ask<LoadOutcome>(load);
    const after = await subject.usage();
    const cpu = Object.entries(after).map(([name, { cpuMs }]) => {
      const used = cpuMs - (before[name]?.cpuMs ?? 0);
      return [name, (used * 1000) / pace.requests] as const;
    });
    const sorted = latencies.sort();
    return {
      perSecond: pace.requests / seconds,
      p50: quantile(sorted, 0.5),
      p99: quantile(sorted, 0.99),
      cpu: cpu.reduce((sum, [, each]) => sum + each, 0),
      cpuOf: Object.fromEntries(cpu),
    };
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}

/**
 * Measures the subjects in turn, and returns their samples in the order of the subjects. Each round begins with another
 * subject, so that all have the same conditions. A round before the first is not counted: V8 compiles during it, which takes
 * up to a third of the processor time.
 */
export async function interleaved(
  loader: Loader,
  subjects: readonly Subject[],
  row: Row,
  { rounds, requests, connections }: Pace,
): Promise<Sample[][]> {
  const pace = { requests: requests * row.lengthFactor, connections };
  const samples = subjects.map((): Sample[] => []);
  for (const subject of subjects) await loader.run(subject, row, pace);
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < subjects.length; turn += 1) {
      const at = (round + turn) % subjects.length;
      samples[at]?.push(await loader.run(subjects[at] as Subject, row, pace));
    }
  }
  return samples;
}
