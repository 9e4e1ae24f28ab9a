import { readFileSync } from "node:fs";
import { join } from "node:path";
import { argv, stdout } from "node:process";
import { PROJECT } from "../harness/guildcal-process.ts";
import { RELEASE_FILES, type ReleaseFiles, releaseProblems } from "./release-problems.ts";

/** The files of the project that contain its version. */
export function readReleaseFiles(): ReleaseFiles {
  const read = (path: string) => [path, readFileSync(join(PROJECT, path), "utf8")] as const;
  return Object.fromEntries(RELEASE_FILES.map(read)) as ReleaseFiles;
}

/** `npm run release:check`, optionally with the tag to create: `npm run release:check -- v0.1.0`. */
if (argv[1] === import.meta.filename) {
  const problems = releaseProblems(readReleaseFiles(), argv[2]);
  const tag = argv[2] === undefined ? "" : `the tag ${argv[2]}, `;
  const agreement = `${tag}versions, changelog and image labels agree`;
  stdout.write(`${problems.length === 0 ? agreement : problems.join("\n")}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
