import type { IncomingMessage } from "node:http";
import { refuseTimeout } from "../http/malformed-request.ts";
import { ClientDisconnected } from "../http/request-body.ts";

/** A body that is read has to arrive at least this fast: its import has one of the slots of the gateway. */
const MIN_BYTES = 65_536;
const MIN_BYTES_WITHIN_MS = 5_000;

/**
 * Waits until as much of the body has arrived as Node receives before it is read (64 KiB), or its end, or the client has
 * disconnected.
 */
export async function bodyBegun(request: IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const isFull = () => request.readableLength >= request.readableHighWaterMark;
  const resolveIfBegun = () => {
    if (request.complete || request.destroyed || isFull()) resolve();
  };
  // The listener would read a request without a body to its end.
  if (!request.complete) request.on("readable", resolveIfBegun).on("close", resolveIfBegun);
  resolveIfBegun();
  await promise;
  request.off("readable", resolveIfBegun).off("close", resolveIfBegun);
}

/**
 * The chunks of a request's body. The request stays open when the reader stops early, so that it gets its response. A client
 * that sends less than `MIN_BYTES` in `withinMs` gets 408, and its connection is closed.
 */
export async function* bodyOf(request: IncomingMessage, withinMs = MIN_BYTES_WITHIN_MS): AsyncGenerator<Buffer> {
  let bytes = 0;
  let isRefused = false;
  const timer = setTimeout(() => {
    isRefused = true;
    refuseTimeout(request.socket);
  }, withinMs);
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes >= MIN_BYTES) {
        bytes = 0;
        timer.refresh();
      }
      yield chunk;
    }
  } catch {
    throw new ClientDisconnected();
  } finally {
    clearTimeout(timer);
  }
  // The rest of the body may arrive between the 408 and the end of the connection.
  if (isRefused || !request.complete) throw new ClientDisconnected();
}
