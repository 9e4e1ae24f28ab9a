import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ServiceName, SERVICES } from "../../../services/contracts/service-names.ts";
import { PROJECT } from "../../harness/guildcal-process.ts";
import { removeFolder } from "../../harness/remove-folder.ts";

const run = promisify(execFile);

/** The commit of release 0.1.0. */
export const LAST_RELEASE = "929fd8cd";

/** Another version of the project, in its own folder. */
export interface OtherVersion {
  readonly project: string;
  /** The services that this version has, too. */
  readonly services: readonly ServiceName[];
  remove(): Promise<void>;
}

/** The previous commit, or the one in CLUSTER_REF. */
export function previousVersion(): Promise<OtherVersion> {
  return versionOf(process.env["CLUSTER_REF"] ?? "HEAD~1");
}

/** The version of a commit, with the installed packages of this one. */
export async function versionOf(commit: string): Promise<OtherVersion> {
  const project = await mkdtemp(join(tmpdir(), "guildcal-before-"));
  const archive = `${project}.tar`;
  await run("git", ["-C", PROJECT, "archive", "--output", archive, commit]);
  await run("tar", ["-xf", archive, "-C", project]);
  await symlink(join(PROJECT, "node_modules"), join(project, "node_modules"));
  await rm(archive);
  const folders = await readdir(join(project, "services"));
  const services = SERVICES.filter((service) => folders.includes(service));
  return { project, services, remove: () => removeFolder(project) };
}
