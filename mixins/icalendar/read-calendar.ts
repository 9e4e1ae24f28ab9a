import { TimeSlice } from "../async/time-slice.ts";
import { MAX_IMPORT_BYTES } from "../../services/contracts/event-import.contract.ts";
import { refuse, type Refusal } from "../../services/contracts/errors.ts";
import { CalendarScanner, InvalidCalendar, type ScannedCalendar } from "./calendar-scanner.ts";
import { LineReader } from "./line-reader.ts";

/** The refusal of a body that is larger than MAX_IMPORT_BYTES. */
export const TOO_LARGE = refuse("PAYLOAD_TOO_LARGE", undefined, `The body is larger than ${MAX_IMPORT_BYTES} bytes`);

/**
 * Reads a body while it arrives, in slices of time between which other requests are served. The body is read no faster than
 * it is scanned, so that the client has to wait. Only the lines that are imported are kept.
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

/** Size of the pieces of a chunk. A piece takes less than a millisecond, even one of only the shortest lines. */
const PIECE_BYTES = 4_096;
