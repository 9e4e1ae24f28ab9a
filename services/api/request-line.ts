import type { Served } from "./http-server.ts";
import { pathOf } from "./request-path.ts";

const LONGEST_PATH = 200;

/** What the log says of a request; nothing of its query, its headers or its body. */
export function requestLine({ request, requestId, status, ms }: Served): object {
  return { method: request.method, path: printable(pathOf(request)), status, ms: Math.round(ms * 10) / 10, requestId };
}

/** Text from outside as it may enter a log: one line, visible ASCII, not endless. */
function printable(text: string): string {
  return text.slice(0, LONGEST_PATH).replaceAll(/[^\x21-\x7e]/g, "?");
}
