import { requestFields } from "../../../../mixins/observability/request-fields.ts";
import type { MessageEdit, MessageRemoval, OutgoingMessage, SendOutcome, Sink } from "../sink.ts";

/** Writes one structured line, for example by a logger's `info`. */
export type WriteLine = (fields: Readonly<Record<string, unknown>>, text: string) => void;

/** Posts to the log (D34): one line for each part, with the message. */
export function logSink({ writeLine }: { readonly writeLine: WriteLine }): Sink {
  function attempt<Done>(fields: Parameters<WriteLine>[0], text: string, done: Done) {
    try {
      writeLine(fields, text);
      return Promise.resolve(done);
    } catch {
      return Promise.resolve({ kind: "retry", reason: "the log could not be written", afterMs: 0 } as const);
    }
  }

  return {
    name: "log",
    send({ postId, part, nonce, guildId, channel, message, changedBy }: OutgoingMessage): Promise<SendOutcome> {
      // A part that is written again after a lost outcome has the same nonce, and so the same id.
      const messageId = `log-${nonce}`;
      const fields = { postId, part, guildId, channel, messageId, message, ...requestFields(changedBy) };
      return attempt(fields, "announcement posted", { kind: "sent", messageId });
    },
    edit({ postId, guildId, channel, messageId, message, changedBy }: MessageEdit) {
      const fields = { postId, guildId, channel, messageId, message, ...requestFields(changedBy) };
      return attempt(fields, "announcement edited", { kind: "edited" } as const);
    },
    remove({ postId, part, guildId, channel, messageId, changedBy }: MessageRemoval) {
      const fields = { postId, part, guildId, channel, messageId, ...requestFields(changedBy) };
      return attempt(fields, "announcement deleted", { kind: "removed" } as const);
    },
    close: () => Promise.resolve(),
  };
}
