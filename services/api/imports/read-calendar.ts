import type { IncomingMessage } from "node:http";
import { TimeSlice } from "../../../mixins/async/time-slice.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import { ClientDisconnected } from "../http/request-body.ts";
import { CalendarScanner, InvalidCalendar, type ScannedCalendar } from "./calendar-scanner.ts";
import { MAX_IMPORT_BYTES, TOO_LARGE } from "./import-request.ts";
import { LineReader } from "./line-reader.ts";

/**
 * Reads a body while it arrives, in slices of time between which other requests are served; the client sends no faster than
 * it is read. Of the body only what is imported is kept.
 */
export async function readCalendar(body: AsyncIterable<Buffer>): Promise<ScannedCalendar | Refusal> {
  const [lines, scanner, slice] = [new LineReader(), new CalendarScanner(), new TimeSlice()];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > MAX_IMPORT_BYTES) return TOO_LARGE;
      slice.begin();
      for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
        if (slice.isOver) await slice.rest();
        for (const line of lines.read(chunk.subarray(from, from + PIECE_BYTES))) scanner.read(line);
      }
    }
    const last = lines.end();
    if (last !== undefined) scanner.read(last);
    return scanner.end();
  } catch (error) {
    if (!(error instanceof InvalidCalendar)) throw error;
    return refuse("INVALID_REQUEST", [{ field: "body", code: "MALFORMED", message: error.message }]);
  }
}

/** A piece takes less than a millisecond also if it has nothing but the shortest lines. */
const PIECE_BYTES = 4_096;

/** The chunks of a request's body. The request stays open when the reader stops early, so that it gets its response. */
export async function* bodyOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch {
    throw new ClientDisconnected();
  }
  if (!request.complete) throw new ClientDisconnected();
}
