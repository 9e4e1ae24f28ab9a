import type { Loader, Pace } from "../requests/measure.ts";
import type { Given, Subject } from "../requests/subjects.ts";
import type { TableRow } from "./table-row.ts";

/** What a section of the table is measured with. */
export interface Stage {
  readonly given: Given;
  readonly loader: Loader;
  readonly pace: Pace;
  /** Whether a row of this section is to be measured. */
  readonly isChosen: (row: string) => boolean;
  /** Waits for a subject that starts; it is stopped when the section ends. */
  readonly started: (starting: Promise<Subject>) => Promise<Subject>;
}

/** The rows of a section, and all figures that they were made from. */
export interface Measured {
  readonly rows: readonly TableRow[];
  readonly figures: unknown;
}

/** Rows of the table that are measured on the same servers. */
export interface Section {
  readonly name: string;
  /** The heading of README.md that says how they are measured. */
  readonly heading: string;
  readonly rowNames: readonly string[];
  /** Its servers have a processor that nothing else of the bench runs on. */
  readonly hasServerCpu: boolean;
  measure(stage: Stage): Promise<Measured>;
}
