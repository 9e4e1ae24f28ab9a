import type { UnreadableEvent } from "../../../mixins/icalendar/event-lines.ts";
import {
  type ChangeReason,
  IMPORT_OUTCOMES,
  IMPORT_REASON_TEXTS,
  type ImportedOutcome,
  type ImportOutcome,
  type SkipReason,
} from "../../contracts/event-import.contract.ts";
import type { Refusal } from "../../contracts/errors.ts";
import type { EventId } from "../../contracts/ids.ts";

/** A VEVENT that was skipped, or whose event differs from it. */
export interface ReportEntry {
  /** The line of its BEGIN. */
  readonly line: number;
  readonly outcome: "skipped" | "changed";
  readonly reason: SkipReason | ChangeReason;
  readonly message: string;
}

/** Entries in a response (D17); the counts by reason are of all VEVENTs. */
export const MAX_REPORT_ENTRIES = 10_000;

/** The response to an import (D52). */
export type ImportResponse = Readonly<Record<ImportOutcome, number>> & {
  readonly message: string;
  /** Whether every VEVENT was processed. */
  readonly complete: boolean;
  readonly dry_run: boolean;
  readonly changed: number;
  readonly report: readonly ReportEntry[];
  /** Number of further entries. */
  readonly report_omitted: number;
  readonly reasons: readonly { readonly reason: string; readonly count: number }[];
  readonly not_imported: readonly { readonly name: string; readonly count: number }[];
  /** The events of VEVENTs; only if the request has `ids`. */
  readonly ids?: readonly ImportedId[];
};

interface ImportedId {
  /** The line of the VEVENT's BEGIN. */
  readonly line: number;
  readonly event_id: EventId;
}

/** Collects the outcomes of an import. */
export class ImportReport {
  readonly #counts = new Map<ImportOutcome, number>();
  readonly #reasons = new Map<SkipReason | ChangeReason, number>();
  readonly #entries: ReportEntry[] = [];
  readonly #ids: ImportedId[] = [];
  #changed = 0;
  #omitted = 0;

  add(line: number, { outcome, skipped, changes = [], id }: ImportedOutcome): void {
    if (id !== undefined && this.#ids.length < MAX_REPORT_ENTRIES) this.#ids.push({ line, event_id: id });
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
    if (changes.length > 0) this.#changed += 1;
    if (skipped !== undefined) this.#note(line, "skipped", skipped);
    for (const change of changes) this.#note(line, "changed", change);
  }

  addSkipped({ line, reason }: UnreadableEvent): void {
    this.add(line, { outcome: "skipped", skipped: reason });
  }

  response(
    isComplete: boolean,
    {
      refusal,
      isDryRun,
      hasIds,
      notImported,
    }: {
      /** That of the call which ended an incomplete import. */
      readonly refusal?: Refusal | undefined;
      readonly isDryRun: boolean;
      readonly hasIds: boolean;
      readonly notImported: ReadonlyMap<string, number>;
    },
  ): ImportResponse {
    const count = (outcome: ImportOutcome) => [outcome, this.#counts.get(outcome) ?? 0] as const;
    return {
      message: isComplete ? messageOf(isDryRun) : incompleteMessage(refusal),
      complete: isComplete,
      dry_run: isDryRun,
      ...(Object.fromEntries(IMPORT_OUTCOMES.map(count)) as Record<ImportOutcome, number>),
      changed: this.#changed,
      report: this.#entries.toSorted((one, other) => one.line - other.line),
      report_omitted: this.#omitted,
      reasons: [...this.#reasons].map(([reason, of]) => ({ reason, count: of })),
      not_imported: [...notImported].map(([name, of]) => ({ name, count: of })),
      ...(hasIds ? { ids: this.#ids.toSorted((one, other) => one.line - other.line) } : {}),
    };
  }

  #note(line: number, outcome: ReportEntry["outcome"], reason: SkipReason | ChangeReason): void {
    this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
    if (this.#entries.length >= MAX_REPORT_ENTRIES) this.#omitted += 1;
    else this.#entries.push({ line, outcome, reason, message: IMPORT_REASON_TEXTS[reason] });
  }
}

function messageOf(isDryRun: boolean): string {
  return isDryRun ? "Nothing was stored: this was a dry run" : "Calendar imported";
}

function incompleteMessage(refusal: Refusal | undefined): string {
  const reason = refusal === undefined ? "" : ` because a part of it got ${refusal.refusal}`;
  return `The import is not complete${reason}: send the same body again`;
}
