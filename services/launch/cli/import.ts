import { join } from "node:path";
import { readSettings } from "../run/service-factories.ts";
import { StartupError } from "../run/startup-error.ts";
import { parseArguments } from "./arguments.ts";
import { openExportFolder } from "./discal/export-folder.ts";
import { guildcalRequests } from "./discal/guildcal-requests.ts";
import { importDiscal } from "./discal/import-discal.ts";
import { openRecord } from "./discal/import-record.ts";

const USAGE = `npm run import -- discal FOLDER --dry-run
npm run import -- discal FOLDER --discal-stopped ISO-TIME
Further options: --guild ID (may be repeated), --url http://127.0.0.1:3000, --report FILE. API_KEY is the key.`;

const OPTIONS = {
  "dry-run": { type: "boolean" },
  "discal-stopped": { type: "string" },
  guild: { type: "string", multiple: true },
  url: { type: "string" },
  report: { type: "string" },
} as const;

/** DisCal posts an announcement up to its interval early, which is five minutes unless it is set otherwise. */
const DISCAL_POSTS_EARLY_MS = 5 * 60_000;

/** `npm run import -- discal`: imports an export of DisCal's tables into a running service, through its API (D60). */
export async function runImport(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { positionals, values } = parseArguments(args, OPTIONS, USAGE);
  const [source, folderName, ...rest] = positionals;
  if (source !== "discal" || folderName === undefined || rest.length > 0) throw new StartupError(USAGE);
  const isDryRun = values["dry-run"] === true;
  const now = Date.now();
  if (!isDryRun) checkStopped(values["discal-stopped"], now);
  const { HOST, PORT, API_KEY } = readSettings(env);
  if (API_KEY === undefined)
    throw new StartupError("Set API_KEY to a key that may write the guilds; an operator key for all settings");
  const guilds = new Set(values.guild);
  const folder = await openExportFolder(folderName);
  const reportFile = values.report ?? join(folderName, isDryRun ? "dry-run-report.jsonl" : "import-report.jsonl");
  const record = await openRecord(reportFile, isDryRun);
  const requests = guildcalRequests({
    baseUrl: (values.url ?? `http://${HOST}:${PORT}`).replace(/\/$/, ""),
    key: API_KEY,
  });
  const isWanted = (guildId: string) => guilds.size === 0 || guilds.has(guildId);
  try {
    await importDiscal({ folder, requests, record, isWanted, isDryRun, now });
  } finally {
    await record.close();
    const lines = [...record.counts()]
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([what, count]) => `${String(count).padStart(8)}  ${what}\n`);
    process.stdout.write(`${lines.join("")}${isDryRun ? "Dry run: nothing was changed. " : ""}Report: ${reportFile}\n`);
  }
}

/** Refuses an import while a post may be sent by both programs. */
export function checkStopped(text: string | undefined, now: number): void {
  const stoppedAt = Date.parse(text ?? "");
  if (Number.isNaN(stoppedAt)) {
    throw new StartupError(
      `Stop DisCal, so that nothing is posted twice, and give the time at which it ended\n${USAGE}`,
    );
  }
  if (stoppedAt > now) throw new StartupError("--discal-stopped is in the future");
  const from = stoppedAt + DISCAL_POSTS_EARLY_MS;
  if (now < from) {
    throw new StartupError(
      `DisCal posts up to five minutes early: run this again after ${new Date(from).toISOString()}, when all that it has posted was due`,
    );
  }
}
