import { join } from "node:path";
import type { Load, LoadOutcome } from "./load-process.ts";
import { MeasuredProcess } from "./measured-process.ts";
import { quantile } from "./figures.ts";
import type { Pace, Row } from "./rows.ts";
import { OTHER_CPU } from "./processors.ts";
import type { Subject } from "./subjects.ts";

/** What one subject did in one round. */
export interface Sample {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of CPU for a request, of all its processes together. */
  readonly cpu: number;
  readonly cpuOf: Readonly<Record<string, number>>;
}

/** Sends loads from a process of its own. */
export class Loader {
  readonly #process = new MeasuredProcess({ script: join(import.meta.dirname, "load-process.ts"), cpu: OTHER_CPU });

  async run(subject: Subject, row: Row, pace: Omit<Pace, "rounds">): Promise<Sample> {
    const before = await subject.usage();
    const load: Load = {
      ports: subject.ports,
      connections: pace.connections,
      requests: pace.requests,
      path: row.path,
      headers: { authorization: subject.key },
      bodies: row.bodies?.map((body) => JSON.stringify(body)),
    };
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
 * Samples of each subject, by name: in turn, another first in every round, so that all meet the same machine. A round
 * before the first is not counted: V8 compiles meanwhile, which is up to a third of what a process uses then.
 */
export async function interleaved(
  loader: Loader,
  subjects: readonly Subject[],
  row: Row,
  { rounds, ...pace }: Pace,
): Promise<Map<string, Sample[]>> {
  const samples = new Map(subjects.map(({ name }) => [name, [] as Sample[]]));
  for (const subject of subjects) await loader.run(subject, row, pace);
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < subjects.length; turn += 1) {
      const subject = subjects[(round + turn) % subjects.length] as Subject;
      samples.get(subject.name)?.push(await loader.run(subject, row, pace));
    }
  }
  return samples;
}
