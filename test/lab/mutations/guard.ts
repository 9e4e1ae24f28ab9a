/** The place of a guard in the sources, and the code that replaces it (README.md). */
export type Place = InCode | InText;

/** A place by a pattern of the code, so that local names and the layout may change. */
export type InCode = {
  readonly file: string;
  /** The function, method, class or constant around the guard; by default the whole file. */
  readonly in?: string;
  /** The replacement, in which `$NAME` is the matched code; an empty text removes the code. */
  readonly without: string;
} & (
  | { /** A pattern of ast-grep. */ readonly code: string }
  | { /** The same for a property or a method of an object. */ readonly property: string }
);

/** A place by a text that occurs once, in a file without code or inside a string. */
export interface InText {
  readonly file: string;
  readonly words: string;
  readonly without: string;
}

/** The test that fails without a guard. */
export interface ShownBy {
  readonly testFile: string;
  /** Part of the test's full title, which includes the titles of its `describe` blocks. */
  readonly test: string;
  /** Whether the test needs the real MongoDB. */
  readonly needsServers?: boolean;
}

/** A guard whose removal a test of the suite finds. */
export type TestedGuard = { readonly guard: string } & Place & ShownBy;

/** A guard whose removal a row of `chaos` or `hostile` finds. */
export type LabGuard = { readonly guard: string } & Place;
