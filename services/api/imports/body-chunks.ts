import type { IncomingMessage } from "node:http";
import { ClientDisconnected } from "../http/request-body.ts";

/** The chunks of a request's body. The request stays open when the reader stops early, so that it gets its response. */
export async function* bodyOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch {
    throw new ClientDisconnected();
  }
  if (!request.complete) throw new ClientDisconnected();
}
