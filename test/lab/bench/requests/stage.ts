import type { Loader } from "./measure.ts";
import type { Pace, Row } from "./rows.ts";
import type { Given, Subject } from "./subjects.ts";

/** What a section of the bench runs on. */
export interface Stage {
  readonly given: Given;
  readonly loader: Loader;
  readonly pace: Pace;
  /** Whether a row was asked for. */
  readonly wants: (row: Pick<Row, "name">) => boolean;
  /** Starts a subject, which ends with its section. */
  readonly up: (starting: Promise<Subject>) => Promise<Subject>;
}

/** Another database on the same mongod. */
export function databaseNamed(mongoUrl: string, name: string): string {
  return mongoUrl.replace("/guildcal?", `/${name}?`);
}
