import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { type TimeZoneSet, timeZoneSet } from "./time-zone-set.ts";
import { parseTzif } from "./tzif.ts";
import type { ZoneRules } from "./zone-rules.ts";

/** Limits of a folder. The largest file of common systems has 4 KB, the whole folder 1.3 MB. */
const MAX_FILE_BYTES = 64 * 1024;
const MAX_FILES = 5_000;

/** A folder is not a valid time zone set; the message is for an operator. */
export class InvalidZoneFolder extends Error {}

/**
 * Reads the time zone set in a folder of compiled zones, as `zic` writes it and systems have it under
 * `/usr/share/zoneinfo`. It contains TZif files whose paths are the names of the zones, and `tzdata.zi` or `+VERSION`
 * with the release; the time of that file counts as the publication time. All files are read now. Throws InvalidZoneFolder.
 *
 * The folder may lack a name that `fallback` has, such as an old one that a system has in another package. Such a
 * name gets the rules of another name of the same zone in the folder, or else those of `fallback`.
 */
export function readZoneFolder(folder: string, fallback: TimeZoneSet): TimeZoneSet {
  const { version, file } = versionOf(folder);
  const own = new Map(zoneFiles(folder).map((name) => [name, rulesReader(folder, name)]));
  if (!own.has("Europe/London")) throw new InvalidZoneFolder(`${folder} has no file Europe/London`);
  const loaders = new Map<string, () => ZoneRules>();
  for (const [name, rules] of own) loaders.set(name, rules);
  for (const name of fallback.names) {
    if (own.has(name)) continue;
    const rules = namesOfZone(fallback, name).flatMap((other) => own.get(other) ?? [])[0];
    loaders.set(name, rules ?? (() => fallback.rulesOf(name) ?? unreadable(name)));
  }
  const about = { version, publishedAt: statSync(file).mtimeMs, source: "folder" } as const;
  return timeZoneSet(about, loaders, fallback.links);
}

/** All names of a zone, its own name first. */
function namesOfZone({ links }: TimeZoneSet, name: string): string[] {
  const zone = links.get(name) ?? name;
  const others = [...links].filter(([, target]) => target === zone).map(([link]) => link);
  return [zone, ...others];
}

/** The release, and the file that contains it. */
function versionOf(folder: string): { readonly version: string; readonly file: string } {
  for (const [name, form] of VERSION_FILES) {
    const file = join(folder, name);
    const version = form.exec(textOf(file))?.[1];
    if (version !== undefined) return { version, file };
  }
  throw new InvalidZoneFolder(`${folder} has neither tzdata.zi nor +VERSION that names a release`);
}

const VERSION_FILES = [
  ["tzdata.zi", /^# version (\d{4}[a-z]+)/],
  ["+VERSION", /^(\d{4}[a-z]+)/],
] as const;

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/**
 * The zone files. Names of zones begin with a capital letter. The folder `right` has zones with leap seconds, the
 * folder `posix` has copies.
 */
function zoneFiles(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, "/"))
    .filter((name) => /^[A-Z][A-Za-z0-9_+/-]*$/.test(name));
  if (files.length > MAX_FILES) throw new InvalidZoneFolder(`${folder} has more than ${MAX_FILES} files`);
  return files;
}

/**
 * Returns a function that parses the file. Parses the file once now, to check it. Only the bytes stay in memory: a tenth of
 * the size of the rules.
 */
function rulesReader(folder: string, name: string): () => ZoneRules {
  const file = join(folder, name);
  const bytes = statSync(file).size <= MAX_FILE_BYTES ? readFileSync(file) : Buffer.alloc(0);
  const read = () => parseTzif(bytes) ?? unreadable(file);
  read();
  return read;
}

function unreadable(file: string): never {
  throw new InvalidZoneFolder(`${file} is not a TZif file of version 2 or later`);
}
