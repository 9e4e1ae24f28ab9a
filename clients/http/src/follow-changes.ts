import type { FollowedChanges, FollowOptions } from "./client-types.ts";
import { apiError, isApiError, isNoResponseError, noResponseError } from "./errors.ts";
import { parseExactly } from "./exact-json.ts";
import { pause } from "./pause.ts";
import { waitBeforeRetry } from "./retry-policy.ts";

/** The service sends a page or a comment at least every 15 seconds. A stream that is silent for 45 seconds is broken. */
const SILENCE_MS = 45_000;

interface StreamRequest {
  readonly base: string;
  readonly key: string;
  readonly send: typeof fetch;
  readonly guildId: string | bigint;
}

/** A block of a stream. A comment has no data; a block without an `id` line has no token. */
interface Block {
  readonly syncToken: string | undefined;
  readonly data: string | undefined;
}

/** Reads the changes of a guild, and connects again when the stream ends. Rejects if another attempt would fail, too. */
export async function* followChanges(
  request: StreamRequest,
  { syncToken, signal }: FollowOptions,
): AsyncGenerator<FollowedChanges, never> {
  let token = syncToken;
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      for await (const { syncToken: next, data } of blocksAfter(token, request, signal)) {
        if (next === undefined) continue;
        attempt = 1;
        token = next;
        const { changes } = (data === undefined ? { changes: [] } : parseExactly(data)) as FollowedChanges;
        yield { changes, syncToken: next };
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!isApiError(error) && !isNoResponseError(error)) throw error;
      const waitMs = waitBeforeRetry(error, { attempt, isRepeatable: true, random: Math.random() });
      if (waitMs === undefined) throw error;
      await pause(waitMs, signal);
    }
  }
}

/** The blocks of one connection. Rejects with an ApiError, or with a NoResponseError when the connection ends. */
async function* blocksAfter(
  token: string | undefined,
  { base, key, send, guildId }: StreamRequest,
  ended: AbortSignal | undefined,
): AsyncGenerator<Block> {
  const connection = new AbortController();
  const signal = ended === undefined ? connection.signal : AbortSignal.any([ended, connection.signal]);
  const close = () => connection.abort();
  let silence = setTimeout(close, SILENCE_MS);
  try {
    const headers = {
      authorization: `Bearer ${key}`,
      accept: "text/event-stream",
      ...(token === undefined ? {} : { "last-event-id": token }),
    };
    const url = `${base}/v2/changes/stream?guild_id=${guildId}`;
    const response = await send(url, { headers, signal, redirect: "manual" });
    if (response.status !== 200 || response.body === null)
      throw apiError(response, jsonIn(await response.text()), undefined);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ;) {
      const { done, value = "" } = await reader.read();
      clearTimeout(silence);
      if (done) throw new Error("the service has ended the stream");
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop() ?? "";
      // The timer does not run here: a consumer that is slow to take the blocks must not end the stream.
      for (const block of blocks) yield { syncToken: lineOf(block, "id"), data: lineOf(block, "data") };
      silence = setTimeout(close, SILENCE_MS);
    }
  } catch (error) {
    throw isApiError(error) ? error : noResponseError(error, undefined);
  } finally {
    clearTimeout(silence);
    close();
  }
}

/** The value of the line with this field name; undefined if the block has no such line. */
function lineOf(block: string, name: string): string | undefined {
  const line = block.split("\n").find((each) => each.startsWith(`${name}: `));
  return line?.slice(name.length + 2);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
