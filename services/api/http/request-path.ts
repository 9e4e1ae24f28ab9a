import type { IncomingMessage } from "node:http";

/** The path of a request without its query. Only imports and streams of changes read the query. */
export function requestPath({ url = "" }: IncomingMessage): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}
