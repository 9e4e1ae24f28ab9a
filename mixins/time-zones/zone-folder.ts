import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { type TimeZoneSet, timeZoneSet } from "./time-zone-set.ts";
import { parseTzif } from "./tzif.ts";
import type { ZoneRules } from "./zone-rules.ts";

/** Of the files of one zone, and of a whole set: the largest that systems have are of 4 KB and 1.3 MB. */
const MAX_FILE_BYTES = 64 * 1024;
const MAX_FILES = 5_000;

/** Why a folder holds no set of time zones, in words for an operator. */
export class InvalidZoneFolder extends Error {}

/**
 * The set in a folder of compiled zones, as `zic` writes it and systems have it under `/usr/share/zoneinfo`: TZif files whose
 * paths are the zones' names, and `tzdata.zi` or `+VERSION`, which say of which release they are. All files are read at once.
 * A name that the folder has no file for, such as an old one that a system has in another package, is that of the zone that
 * `rest` has it for, and where the folder has none of its names either, it is as in `rest`. Throws NoZoneFolder.
 */
export function readZoneFolder(folder: string, rest: TimeZoneSet): TimeZoneSet {
  const { version, file } = versionOf(folder);
  const own = new Map(zoneFiles(folder).map((name) => [name, rulesReader(folder, name)]));
  if (!own.has("Europe/London")) throw new InvalidZoneFolder(`${folder} has no file Europe/London`);
  const loaders = new Map<string, () => ZoneRules>();
  for (const [name, rules] of own) loaders.set(name, rules);
  for (const name of rest.names) {
    if (own.has(name)) continue;
    const rules = namesOfZone(rest, name).flatMap((other) => own.get(other) ?? [])[0];
    loaders.set(name, rules ?? (() => rest.rulesOf(name) ?? unreadable(name)));
  }
  const about = { version, publishedAt: statSync(file).mtimeMs, source: "folder" } as const;
  return timeZoneSet(about, loaders, rest.links);
}

/** The zone's own name first. */
function namesOfZone({ links }: TimeZoneSet, name: string): string[] {
  const zone = links.get(name) ?? name;
  const others = [...links].filter(([, target]) => target === zone).map(([link]) => link);
  return [zone, ...others];
}

/** The release, and the file that names it. */
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

/** Names of zones begin with a capital; those in `right` count leap seconds, those in `posix` are there once more. */
function zoneFiles(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, "/"))
    .filter((name) => /^[A-Z][A-Za-z0-9_+/-]*$/.test(name));
  if (files.length > MAX_FILES) throw new InvalidZoneFolder(`${folder} has more than ${MAX_FILES} files`);
  return files;
}

/** Reads the file, once to see that it is sound; what is kept is its bytes, a tenth of its rules. */
function rulesReader(folder: string, name: string): () => ZoneRules {
  const file = join(folder, name);
  const bytes = statSync(file).size <= MAX_FILE_BYTES ? readFileSync(file) : Buffer.alloc(0);
  const read = () => parseTzif(bytes) ?? unreadable(file);
  read();
  return read;
}

function unreadable(file: string): never {
  throw new InvalidZoneFolder(`${file} is no TZif file of version 2 or later`);
}
