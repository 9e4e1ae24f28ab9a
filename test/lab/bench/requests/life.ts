import { fillEvents, fillRest } from "./bench-data.ts";
import { ROWS } from "./rows.ts";
import { databaseNamed, type Stage } from "./stage.ts";
import { startGuildcal, type Subject } from "./subjects.ts";

/** What a process takes beside the requests. */
export interface Life {
  /** From its start until it is ready and has caught up, in milliseconds of its own CPU. */
  readonly startCpuMs: number;
  readonly startMs: number;
  /** Resident memory in MiB: idle, then after so many requests; garbage that was not yet collected included. */
  readonly rssMiB: Readonly<Record<string, number>>;
  /** What is held without it. */
  readonly heldMiB: Readonly<Record<string, number>>;
  /** Of what is held, the last to the one after the first tenth. */
  readonly drift: number;
}

const STEPS = 10;
const READS = ROWS.filter(({ isWrite }) => isWrite !== true);

/** One process from its start through many requests of every kind that reads. */
export async function lifeOf({ given, loader, pace, up }: Stage, requests: number): Promise<Life> {
  const mongoUrl = databaseNamed(given.mongoUrl, "life");
  await fillEvents(mongoUrl, 1, 1_000);
  const began = performance.now();
  const subject = await up(startGuildcal({ ...given, mongoUrl }));
  const startMs = performance.now() - began;
  const { cpuMs } = await usageOf(subject);
  await fillRest(subject);
  const rssMiB: Record<string, number> = { idle: await rssOf(subject) };
  const heldMiB: Record<string, number> = { idle: await heldOf(subject) };
  const each = Math.round(requests / STEPS / READS.length);
  for (let step = 1; step <= STEPS; step += 1) {
    for (const row of READS) await loader.run(subject, row, { connections: pace.connections, requests: each });
    const when = `after ${step * each * READS.length}`;
    rssMiB[when] = await rssOf(subject);
    heldMiB[when] = await heldOf(subject);
  }
  const [, first = Number.NaN] = Object.values(heldMiB);
  return { startCpuMs: cpuMs, startMs, rssMiB, heldMiB, drift: (Object.values(heldMiB).at(-1) ?? Number.NaN) / first };
}

async function usageOf(subject: Subject) {
  const [usage] = Object.values(await subject.usage());
  return usage ?? { cpuMs: Number.NaN, rssBytes: Number.NaN };
}

async function rssOf(subject: Subject): Promise<number> {
  return (await usageOf(subject)).rssBytes / 2 ** 20;
}

async function heldOf(subject: Subject): Promise<number> {
  return (await subject.held()) / 2 ** 20;
}
