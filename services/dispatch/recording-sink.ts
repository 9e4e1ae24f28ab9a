import type { OutgoingMessage, Sink } from "./sink.ts";

/** A receiver that remembers what it got, and when. */
export interface RecordingSink extends Sink {
  readonly received: (OutgoingMessage & { readonly at: number })[];
}

export function newRecordingSink(): RecordingSink {
  const received: RecordingSink["received"] = [];
  return {
    name: "log",
    received,
    send(message) {
      received.push({ ...message, at: Date.now() });
      return Promise.resolve({ kind: "sent", messageId: `m${received.length}` });
    },
    close: () => Promise.resolve(),
  };
}
