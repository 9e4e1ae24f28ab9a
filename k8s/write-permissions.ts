import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import {
  BACKUP_USER,
  backupPrivileges,
  databasePrivileges,
} from "../services/launch/permissions/database-privileges.ts";
import { natsUsersFile } from "../services/launch/permissions/nats-users.ts";
import { SERVICES } from "../services/contracts/service-names.ts";

const privileges = {
  ...Object.fromEntries(SERVICES.toSorted().map((service) => [service, databasePrivileges(service)])),
  [BACKUP_USER]: backupPrivileges(),
};

/** The files of this folder that are generated from the services' tables of permissions, by path. */
export const PERMISSION_FILES: Readonly<Record<string, string>> = {
  "components/mongodb/privileges.json": `${onFewLines(JSON.stringify(privileges, undefined, 2))}\n`,
  "components/nats/users.conf": natsUsersFile(),
};

/** A list of words, and a resource, on one line, formatted as `npm run format` does. */
function onFewLines(json: string): string {
  const onOneLine = (inside: string) => inside.replaceAll(/\s+/g, " ");
  return json
    .replaceAll(/\[\s+("[^[\]]*")\s+\]/g, (_whole, words: string) => `[${onOneLine(words)}]`)
    .replaceAll(/\{\s+("db"[^{}]*")\s+\}/g, (_whole, fields: string) => `{ ${onOneLine(fields)} }`);
}

if (import.meta.url === pathToFileURL(argv[1] ?? "").href) {
  for (const [path, text] of Object.entries(PERMISSION_FILES)) writeFileSync(join(import.meta.dirname, path), text);
}
