import type { Answer } from "./answer.ts";

/** Something to look at, for everybody: GET or HEAD, no key. */
export interface Page {
  readonly path: string;
  answer(): Answer | Promise<Answer>;
}
