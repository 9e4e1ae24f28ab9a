import type { OutgoingMessage, SendOutcome, Sink } from "./sink.ts";

/** A receiver that remembers what it got, and when. */
export interface RecordingSink extends Sink {
  /** What it answers instead of taking anything in. */
  refuse?: SendOutcome;
  readonly received: (OutgoingMessage & { readonly at: number })[];
}

export function newRecordingSink(): RecordingSink {
  const received: RecordingSink["received"] = [];
  const sink: RecordingSink = {
    name: "log",
    received,
    send(message) {
      if (sink.refuse !== undefined) return Promise.resolve(sink.refuse);
      received.push({ ...message, at: Date.now() });
      return Promise.resolve({ kind: "sent", messageId: `m${received.length}` });
    },
    close: () => Promise.resolve(),
  };
  return sink;
}
