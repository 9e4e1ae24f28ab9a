import type { OutgoingMessage, SendOutcome, Sink } from "../sink.ts";

/** Writes one structured line; a logger's `info`, say. */
export type WriteLine = (fields: Readonly<Record<string, unknown>>, text: string) => void;

/** Posts to the log (D34): one line a part, with the message as it would be shown. */
export function logSink({ writeLine }: { readonly writeLine: WriteLine }): Sink {
  return {
    name: "log",
    send: (message) => Promise.resolve(writePost(message, writeLine)),
    close: () => Promise.resolve(),
  };
}

function writePost(
  { postId, part, nonce, guildId, channel, message }: OutgoingMessage,
  writeLine: WriteLine,
): SendOutcome {
  // From the nonce: a part that is written again after a lost settle has the same id.
  const messageId = `log-${nonce}`;
  try {
    writeLine({ postId, part, guildId, channel, messageId, message }, "announcement posted");
    return { kind: "sent", messageId };
  } catch {
    return { kind: "retry", reason: "the log could not be written", afterMs: 0 };
  }
}
