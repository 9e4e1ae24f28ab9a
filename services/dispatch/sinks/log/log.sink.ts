import type { EditOutcome, MessageEdit, OutgoingMessage, SendOutcome, Sink } from "../sink.ts";

/** Writes one structured line, for example by a logger's `info`. */
export type WriteLine = (fields: Readonly<Record<string, unknown>>, text: string) => void;

/** Posts to the log (D34): one line for each part, with the message. */
export function logSink({ writeLine }: { readonly writeLine: WriteLine }): Sink {
  return {
    name: "log",
    send: (message) => Promise.resolve(writePost(message, writeLine)),
    edit: (edit) => Promise.resolve(writeEdit(edit, writeLine)),
    close: () => Promise.resolve(),
  };
}

function writePost(
  { postId, part, nonce, guildId, channel, message }: OutgoingMessage,
  writeLine: WriteLine,
): SendOutcome {
  // A part that is written again after a lost outcome has the same nonce, and so the same id.
  const messageId = `log-${nonce}`;
  try {
    writeLine({ postId, part, guildId, channel, messageId, message }, "announcement posted");
    return { kind: "sent", messageId };
  } catch {
    return { kind: "retry", reason: "the log could not be written", afterMs: 0 };
  }
}

function writeEdit({ postId, guildId, channel, messageId, message }: MessageEdit, writeLine: WriteLine): EditOutcome {
  try {
    writeLine({ postId, guildId, channel, messageId, message }, "announcement edited");
    return { kind: "edited" };
  } catch {
    return { kind: "retry", reason: "the log could not be written", afterMs: 0 };
  }
}
