import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROUTES } from "../../services/api/route-table.ts";
import { ALL_SETTINGS } from "../../services/launch/service-factories.ts";

const README = join(dirname(dirname(import.meta.dirname)), "README.md");

/** The settings, as the README shows them. */
function settingsTable(): string {
  const rows = Object.entries(ALL_SETTINGS).map(([name, { about, standard, expects }]) => {
    const shown = name === "NODE_NAME" ? "host name and process id" : standard === undefined ? "" : `\`${standard}\``;
    return `| \`${name}\` | ${shown} | ${about} | ${expects} |`;
  });
  return ["| variable | default | what it is | must be |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

/** The endpoints, as the README shows them. */
function endpointsTable(): string {
  const rows = ROUTES.map(({ paths: [path, ...aliases], summary }) => {
    const also = aliases.map((alias) => `\`${alias}\``).join(", ");
    return `| \`${path}\` | ${summary} | ${also} |`;
  });
  const head = ["| path | what it does | also |", "| --- | --- | --- |"];
  return [...head, ...rows, "", "Every path is also there under `/api`."].join("\n");
}

/** The README with its tables as they follow from the code. */
export function renewedReadme(readme = readFileSync(README, "utf8")): string {
  const tables = { settings: settingsTable(), endpoints: endpointsTable() };
  return Object.entries(tables).reduce(
    (text, [name, table]) =>
      text.replace(
        new RegExp(`(<!-- ${name}: begin [^\\n]*-->\\n)[\\s\\S]*?(<!-- ${name}: end -->)`),
        (_whole, begin: string, end: string) => `${begin}\n${table}\n\n${end}`,
      ),
    readme,
  );
}

if (process.argv[1] === import.meta.filename) writeFileSync(README, renewedReadme());
