/** Where a guard stands in the sources, and what stands there when it is taken out (README.md). */
export type Place = InCode | InText;

/** By the shape of the code: names of a function's own, and the layout, may change. */
export type InCode = {
  readonly file: string;
  /** The function, method, class or constant around it; the whole file when absent. */
  readonly in?: string;
  /** What stands instead; `$NAME` is what it stands for in the pattern. Empty: it is left out. */
  readonly without: string;
} & (
  | { /** A pattern of ast-grep. */ readonly code: string }
  | { /** The same for a property or a method of an object. */ readonly property: string }
);

/** By words that occur once: in a file that is no code, or inside a string of the code. */
export interface InText {
  readonly file: string;
  readonly words: string;
  readonly without: string;
}

/** What must fail when a guard is taken out. */
export interface ShownBy {
  readonly testFile: string;
  /** Part of the test's title. */
  readonly test: string;
  /** Set for a test that needs the real MongoDB. */
  readonly onRealParts?: boolean;
}

/** A guard that a test of the suite needs. */
export type TestedGuard = { readonly guard: string } & Place & ShownBy;

/** A guard that a row of `chaos` or `hostile` needs. */
export type LabGuard = { readonly guard: string } & Place;
