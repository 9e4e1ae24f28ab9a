import type { Loader, Pace } from "../requests/measure.ts";
import type { Given, Subject } from "../requests/subjects.ts";
import type { TableRow } from "./table-row.ts";

/** The servers and options of a section's measurement. */
export interface Stage {
  readonly given: Given;
  readonly loader: Loader;
  readonly pace: Pace;
  /** Whether a row of this section is selected. */
  readonly isChosen: (row: string) => boolean;
  /** Waits for the start of a subject, and stops it when the section ends. */
  readonly started: (starting: Promise<Subject>) => Promise<Subject>;
}

/** The rows of a section, with the figures of all rounds. */
export interface Measured {
  readonly rows: readonly TableRow[];
  readonly figures: unknown;
}

/** Rows of the table that are measured on the same servers. */
export interface Section {
  readonly name: string;
  /** The heading of README.md that describes the measurement. */
  readonly heading: string;
  readonly rowNames: readonly string[];
  /** Whether its servers have a processor that the rest of the bench does not use. */
  readonly hasServerCpu: boolean;
  measure(stage: Stage): Promise<Measured>;
}
