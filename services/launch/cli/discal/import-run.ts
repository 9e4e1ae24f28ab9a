import type { ExportFolder } from "./export-folder.ts";
import { type GuildcalRequests, type GuildcalResponse, wordsOf } from "./guildcal-requests.ts";
import type { ImportRecord } from "./import-record.ts";
import { type RowOutcome, skippedRow } from "./row-outcome.ts";
import type { Survey } from "./survey-export.ts";

/** The dependencies of each part of an import. */
export interface ImportRun {
  readonly folder: ExportFolder;
  readonly requests: GuildcalRequests;
  readonly record: ImportRecord;
  readonly survey: Survey;
  readonly isWanted: (guildId: string) => boolean;
  /** Sends nothing that changes something. */
  readonly isDryRun: boolean;
}

/** The outcome of a row that the service has refused, with its words. */
export function refusedRow(
  place: Pick<RowOutcome, "table" | "line" | "row">,
  { status, body }: GuildcalResponse,
): RowOutcome {
  const errors = Array.isArray(body["errors"]) ? (body["errors"] as { field?: string; message?: string }[]) : [];
  const problems = errors.map(({ field, message }) => `${field} ${message}`).join("; ");
  return skippedRow(place, "REFUSED", `${wordsOf({ status, body })}${problems === "" ? "" : `: ${problems}`}`);
}
