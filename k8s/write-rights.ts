import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import { natsUsers } from "../services/launch/nats-users.ts";

const HEAD = "# Made by `npm run rights` from services/launch/bus-rights.ts; a test holds it equal.\n";

/** The files of this folder that follow from the services' tables of rights, by their paths. */
export const RIGHTS: Readonly<Record<string, string>> = {
  "components/nats/users.conf": `${HEAD}\n# API_PASSWORD and its like.\ninclude ../../run/secrets/nats/passwords.conf\n\n${natsUsers()}`,
};

if (import.meta.url === pathToFileURL(argv[1] ?? "").href) {
  for (const [path, text] of Object.entries(RIGHTS)) writeFileSync(join(import.meta.dirname, path), text);
}
