/** One line of a bench's table: what was measured, and whether a ratio that is promised was reached. */
export interface Line {
  readonly held: boolean;
  readonly text: string;
}

export function printLines(lines: readonly Line[]): void {
  for (const { held, text } of lines) console.log(`${held ? "ok  " : "MISS"} ${text}`);
}
