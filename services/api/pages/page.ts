import type { Answer } from "../http/http-response.ts";

/** Something to look at, for everybody: GET or HEAD, no key. */
export interface Page {
  readonly path: string;
  /** `acceptsGzip`: whether the body may be sent with the content coding gzip (RFC 9110 section 12.5.3). */
  answer(acceptsGzip: boolean): Answer | Promise<Answer>;
}
