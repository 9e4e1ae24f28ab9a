import { RequestError } from "./api.js";
import { BlockReader } from "./model/server-sent-events.js";

/** @import { Api } from "./api.js" */

/** The service sends at least a comment in 15 seconds (D48). A stream that is silent for longer is broken. */
const SILENCE_MS = 45_000;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 10_000;
/** Interval of polling while no stream can be opened, for example behind a proxy that buffers, or over the limit of streams. */
const POLL_MS = 15_000;
/** Failed attempts, with a service that responds, after which the console polls. */
const ATTEMPTS_BEFORE_POLLING = 3;

/**
 * @typedef {object} Follower
 * @property {() => void} onChange Called when something that the console shows has changed, or may have.
 * @property {(state: "live" | "polling" | "lost") => void} onConnection
 * @property {(error: RequestError) => void} onRefused Called when the key or the guild is refused: following has ended.
 */

/**
 * Follows the changes of the guild until the signal. Connects again after a lost connection, and reports that everything may
 * have changed meanwhile.
 * @param {Api} api
 * @param {Follower} follower
 * @param {AbortSignal} signal
 */
export async function followChanges(api, { onChange, onConnection, onRefused }, signal) {
  /** @type {string | undefined} */
  let token;
  let hasCurrentState = false;
  for (let failures = 0; !signal.aborted;) {
    try {
      for await (const { id, data } of blocksOf(api, token, signal)) {
        if (id !== undefined) token = id;
        onConnection("live");
        if (failures > 0) onChange();
        failures = 0;
        if (id === undefined) continue;
        const { changes, more } = data === undefined ? NO_CHANGES : readChanges(data);
        // Without a token the stream begins with everything that the guild has: one reload at its end is enough.
        if (hasCurrentState && changes.some(({ kind }) => kind !== "webhook")) onChange();
        if (!hasCurrentState && !more) {
          hasCurrentState = true;
          onChange();
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      const status = error instanceof RequestError ? error.status : 0;
      if (status === 401 || status === 403) return onRefused(/** @type {RequestError} */ (error));
      if (status === 410) [token, hasCurrentState] = [undefined, false];
      const isPolling = status >= 400 && status < 500 && failures >= ATTEMPTS_BEFORE_POLLING;
      onConnection(isPolling ? "polling" : "lost");
      if (isPolling) onChange();
      await pause(isPolling ? POLL_MS : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1)), signal);
    }
  }
}

/** @type {{ changes: readonly { kind: string }[], more: boolean }} */
const NO_CHANGES = { changes: [], more: false };

/**
 * @param {string} data
 * @returns {typeof NO_CHANGES}
 */
const readChanges = (data) => JSON.parse(data);

/**
 * The blocks of one connection; rejects when it ends.
 * @param {Api} api
 * @param {string | undefined} token
 * @param {AbortSignal} signal
 */
async function* blocksOf(api, token, signal) {
  const connection = new AbortController();
  const close = () => connection.abort();
  signal.addEventListener("abort", close);
  let silence = setTimeout(close, SILENCE_MS);
  try {
    const body = await api.openStream(token, connection.signal);
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    yield { id: undefined, data: undefined };
    for (const blocks = new BlockReader(); ;) {
      const { done, value } = await reader.read();
      clearTimeout(silence);
      if (done) throw new Error("The service has ended the stream");
      silence = setTimeout(close, SILENCE_MS);
      yield* blocks.read(value);
    }
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", close);
    close();
  }
}

/**
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
