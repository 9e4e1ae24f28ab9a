import { importAnnouncements } from "./import-announcements.ts";
import { importCalendars } from "./import-calendars.ts";
import type { ImportRun } from "./import-run.ts";
import { importSettings } from "./import-settings.ts";
import { surveyExport } from "./survey-export.ts";

/** Imports an export of DisCal's tables (D60): settings, which allow the calendars; events; announcements of them. */
export async function importDiscal({
  now,
  ...parts
}: Omit<ImportRun, "survey"> & { readonly now: number }): Promise<void> {
  const run = { ...parts, survey: await surveyExport(parts.folder, { isWanted: parts.isWanted, now }) };
  await importSettings(run);
  await importCalendars(run);
  await importAnnouncements(run);
}
