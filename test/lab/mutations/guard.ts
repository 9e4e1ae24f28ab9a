/** A guard, what stands in its place when it is taken out, and the test that must then fail. */
export interface Guard {
  readonly guard: string;
  readonly file: string;
  /** Occurs once in the file. */
  readonly text: string;
  readonly without: string;
  readonly testFile: string;
  /** Part of the test's title. */
  readonly test: string;
  /** Set for a test that needs the real MongoDB. */
  readonly onRealParts?: boolean;
}
