import { encodeFields } from "../wire/response-fields.ts";
import type { EncodedPage } from "./change-watch.ts";
import type { ChangesPage } from "./changes-reader.ts";
import { streamedChangesFields } from "./changes.wire.ts";

/**
 * A page of changes in the form of Server-Sent Events. The sync token is the id of the event: a client that loses the
 * connection sends it as `Last-Event-ID`. The heartbeat has no data, so a client gets no event, and stores the id.
 */
export function encodedPage(page: ChangesPage): EncodedPage {
  const { changes, syncToken, position, more, isHeldBack } = page;
  const id = `id: ${syncToken}\n`;
  const data = JSON.stringify(encodeFields(streamedChangesFields, page));
  return {
    event: changes.length === 0 ? undefined : Buffer.from(`event: changes\n${id}data: ${data}\n\n`),
    heartbeat: Buffer.from(`: heartbeat\n${id}\n`),
    position,
    more,
    isHeldBack,
  };
}
