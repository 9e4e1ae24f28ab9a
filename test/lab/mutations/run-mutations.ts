import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process, { env, execPath, stdout } from "node:process";
import { PROJECT } from "../../harness/guildcal-process.ts";
import { readOptions, selectOnly } from "../options.ts";
import { applyEdits } from "./apply-edits.ts";
import type { ShownBy, TestedGuard } from "./guard.ts";
import { TESTED_GUARDS } from "./guards.ts";
import { editFor } from "./remove-guard.ts";

const COPIED =
  "services mixins test k8s clients examples package.json tsconfig.json moleculer.config.ts Dockerfile docker-compose.yml";

/**
 * `npm run mutations` removes one guard at a time in a copy of the tree, and shows that its test fails without the guard and
 * passes with it. `--only WORDS`, repeatable, selects the guards whose description or file contains the words.
 */
function main(): void {
  const { only } = readOptions({ only: [] });
  const guards = selectOnly(TESTED_GUARDS, only, ({ guard, file }) => `${guard}\n${file}`);
  const copy = mkdtempSync(join(tmpdir(), "guildcal-mutations-"));
  try {
    for (const name of COPIED.split(" ")) cpSync(join(PROJECT, name), join(copy, name), { recursive: true });
    symlinkSync(join(PROJECT, "node_modules"), join(copy, "node_modules"));
    const missed = guards.filter((guard) => !isCaught(copy, guard));
    stdout.write(`${guards.length - missed.length} of ${guards.length} guards are needed by their tests\n`);
    process.exitCode = missed.length === 0 ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function isCaught(copy: string, guard: TestedGuard): boolean {
  const path = join(copy, guard.file);
  const source = readFileSync(path, "utf8");
  const before = passesUnchanged(copy, guard);
  writeFileSync(path, applyEdits(source, [editFor(guard, source)]));
  const after = passes(copy, guard);
  writeFileSync(path, source);
  const caught = before && !after;
  // `FAILS`: the test does not pass with the guard either, or not in time.
  const outcome = before ? "MISSED" : "FAILS ";
  stdout.write(`${caught ? "caught" : outcome}  ${guard.guard}  (${guard.testFile}: ${guard.test})\n`);
  return caught;
}

/** The tests that passed with every guard in place. */
const passed = new Set<string>();

function passesUnchanged(copy: string, guard: ShownBy): boolean {
  const name = `${guard.testFile}: ${guard.test}`;
  if (passed.has(name) || passes(copy, guard)) passed.add(name);
  return passed.has(name);
}

function passes(copy: string, { testFile, test, needsServers = false }: ShownBy): boolean {
  const words = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning", "node_modules/jest/bin/jest.js"];
  const options = [
    "--config",
    "test/jest.config.js",
    "--runInBand",
    "--testPathPatterns",
    testFile,
    "-t",
    RegExp.escape(test),
  ];
  const { status, stdout: output } = spawnSync(execPath, [...words, ...options, "--json"], {
    cwd: copy,
    env: needsServers ? env : { ...env, GUILDCAL_TEST_SERVERS: "none" },
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    timeout: 240_000,
  });
  // Jest succeeds if no title matches, so that the number of passed tests counts.
  return status === 0 && /"numPassedTests":[1-9]/.test(output);
}

main();
