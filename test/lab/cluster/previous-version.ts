import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { PROJECT } from "../../harness/guildcal-process.ts";
import { removeFolder } from "../../harness/remove-folder.ts";

const run = promisify(execFile);

/** Another version of the project, in its own folder. */
export interface OtherVersion {
  readonly project: string;
  remove(): Promise<void>;
}

/** The previous commit, or the one in CLUSTER_REF, with the installed packages of this one. */
export async function previousVersion(): Promise<OtherVersion> {
  const project = await mkdtemp(join(tmpdir(), "guildcal-before-"));
  const archive = `${project}.tar`;
  await run("git", ["-C", PROJECT, "archive", "--output", archive, process.env["CLUSTER_REF"] ?? "HEAD~1"]);
  await run("tar", ["-xf", archive, "-C", project]);
  await symlink(join(PROJECT, "node_modules"), join(project, "node_modules"));
  await rm(archive);
  return { project, remove: () => removeFolder(project) };
}
