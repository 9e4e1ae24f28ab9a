import { describe, expect, test } from "@jest/globals";
import { announced } from "../../../../test/fixtures/announced-samples.ts";
import { renderAnnouncement } from "../../domain/message/announcement-message.ts";
import { logSink } from "./log.sink.ts";
import type { OutgoingMessage } from "../sink.ts";

const [message] = renderAnnouncement(announced());
const outgoing: OutgoingMessage = {
  postId: "a:o:1",
  part: 0,
  nonce: "n0nce",
  guildId: "1",
  channel: "2",
  message: message!,
};

describe("the sink log (D34)", () => {
  test("writes a post as one line with the rendered message", async () => {
    const lines: unknown[] = [];
    const sink = logSink({ writeLine: (...line) => void lines.push(line) });
    await expect(sink.send(outgoing, 100)).resolves.toEqual({ kind: "sent", messageId: "log-n0nce" });
    expect(lines).toEqual([
      [
        { postId: "a:o:1", part: 0, guildId: "1", channel: "2", messageId: "log-n0nce", message },
        "announcement posted",
      ],
    ]);
  });

  test("writes an edit as one line", async () => {
    const lines: unknown[] = [];
    const sink = logSink({ writeLine: (...line) => void lines.push(line) });
    const edit = { postId: "a:o:1", guildId: "1", channel: "2", messageId: "log-n0nce", edit: 1, message: message! };
    await expect(sink.edit!(edit, 100)).resolves.toEqual({ kind: "edited" });
    const { edit: _, ...written } = edit;
    expect(lines).toEqual([[written, "announcement edited"]]);
  });

  test("writes the deletion of each message as one line (D68)", async () => {
    const lines: unknown[] = [];
    const sink = logSink({ writeLine: (...line) => void lines.push(line) });
    const removal = { postId: "a:o:1", part: 1, guildId: "1", channel: "2", messageId: "log-n0nce" };
    await expect(sink.remove!(removal, 100)).resolves.toEqual({ kind: "removed" });
    expect(lines).toEqual([[removal, "announcement deleted"]]);
  });

  test("writes the request and the trace of the change that caused the line", async () => {
    const lines: unknown[] = [];
    const sink = logSink({ writeLine: (fields) => void lines.push(fields) });
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const changedBy = { at: 1, requestId: "r-1", traceparent: `00-${trace}-00f067aa0ba902b7-01` };
    const sent = { postId: "a:o:1", guildId: "1", channel: "2", messageId: "log-n0nce", changedBy };
    await sink.send({ ...outgoing, changedBy }, 100);
    await sink.edit!({ ...sent, edit: 1, message: message! }, 100);
    await sink.remove!({ ...sent, part: 0 }, 100);
    expect(lines).toMatchObject(Array.from({ length: 3 }, () => ({ requestId: "r-1", traceId: trace })));
  });

  test("writes the same part with the same id again", async () => {
    const sink = logSink({ writeLine: () => undefined });
    expect(await sink.send(outgoing, 100)).toEqual(await sink.send(outgoing, 100));
  });

  test("returns a retry if the log can't be written, and does not throw", async () => {
    const sink = logSink({
      writeLine: () => {
        throw new Error("disk full");
      },
    });
    await expect(sink.send(outgoing, 100)).resolves.toMatchObject({ kind: "retry" });
    await sink.close();
  });
});
