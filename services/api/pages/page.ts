import type { HttpResponse } from "../http/http-response.ts";

/** A resource for GET and HEAD that needs no API key. */
export interface Page {
  readonly path: string;
  /**
   * `acceptsGzip`: whether the body may be sent with the content coding gzip (RFC 9110 section 12.5.3). `ifNoneMatch`: the entity
   * tags that the client has (section 13.1.2).
   */
  respond(acceptsGzip: boolean, ifNoneMatch?: string): HttpResponse | Promise<HttpResponse>;
}
