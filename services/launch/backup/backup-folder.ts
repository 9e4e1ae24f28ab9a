import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ServiceName } from "../../contracts/service-names.ts";
import type { SchemaVersions } from "../run/schema-version.ts";
import { StartupError } from "../run/startup-error.ts";

/** The version of the format of backups. */
export const FORMAT = 1;
export const MANIFEST = "manifest.json";
/** The end of the name of the folder in which a backup is written. */
export const PARTIAL = ".partial";
/** The name of a complete backup. Names sort by moment. */
export const BACKUP_NAME = /^guildcal-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z-\d{6,}$/;

/** The file of a collection. */
export interface BackupFile {
  readonly collection: string;
  readonly documents: number;
  /** Size of the compressed file. */
  readonly bytes: number;
  /** SHA-256 of the compressed file, in hexadecimal digits. */
  readonly sha256: string;
}

export interface Manifest {
  readonly format: number;
  /** The release that wrote the backup. */
  readonly guildcal: string;
  /** The instant of the cluster time, in whole seconds. */
  readonly moment: string;
  readonly clusterTime: { readonly seconds: number; readonly increment: number };
  readonly schema: Readonly<Partial<Record<ServiceName, SchemaVersions>>>;
  readonly files: readonly BackupFile[];
}

type StoredManifest = Manifest & { readonly sha256: string };

/** A complete and unchanged backup. */
export interface CheckedBackup {
  readonly manifest: Manifest;
  /** The SHA-256 of the manifest, and thereby of all files. */
  readonly id: string;
}

/** The name of the backup of a cluster time. */
export function backupName({ moment, clusterTime }: Pick<Manifest, "moment" | "clusterTime">): string {
  const instant = moment.replace(/\.\d+Z$/, "Z").replaceAll(":", "-");
  return `guildcal-${instant}-${String(clusterTime.increment).padStart(6, "0")}`;
}

export function fileName(collection: string): string {
  return `${collection}.bson.gz`;
}

export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify({ ...manifest, sha256: manifestDigest(manifest) }, undefined, 2)}\n`;
}

function manifestDigest(manifest: Manifest): string {
  return createHash("sha256").update(JSON.stringify(manifest)).digest("hex");
}

/** Reads the manifest, and every file once. Throws StartupError if the backup is incomplete or was changed. */
export async function checkBackup(folder: string): Promise<CheckedBackup> {
  const { sha256: id, ...manifest } = await readManifest(folder);
  if (id !== manifestDigest(manifest)) throw new StartupError(`${join(folder, MANIFEST)} was changed`);
  if (manifest.format !== FORMAT) {
    throw new StartupError(`${folder} has format ${manifest.format}, and this release knows ${FORMAT}`);
  }
  for (const file of manifest.files) await checkFile(folder, file);
  return { manifest, id };
}

async function readManifest(folder: string): Promise<StoredManifest> {
  const path = join(folder, MANIFEST);
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) throw new StartupError(`${folder} is no complete backup: it has no ${MANIFEST}`);
  try {
    return JSON.parse(text) as StoredManifest;
  } catch {
    throw new StartupError(`${path} is truncated or was changed`);
  }
}

async function checkFile(folder: string, { collection, bytes, sha256 }: BackupFile): Promise<void> {
  const path = join(folder, fileName(collection));
  const size = await stat(path).then(
    (found) => found.size,
    () => undefined,
  );
  if (size === undefined) throw new StartupError(`${path} is missing`);
  const hash = createHash("sha256");
  if (size === bytes) for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  if (size !== bytes || hash.digest("hex") !== sha256) throw new StartupError(`${path} is truncated or was changed`);
}
