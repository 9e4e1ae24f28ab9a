/** @import { Fields } from "./model/types.ts" */

/** The folder above this module: the API, also behind a proxy with a path prefix. */
const API_BASE = new URL("..", import.meta.url).href.replace(/\/$/, "");

/** Time limit of a request; the service responds to a write within 5.5 s (D4). */
const TIMEOUT_MS = 15_000;

/** A request that failed: with the response of the service, or without a response (status 0). */
export class RequestError extends Error {
  /**
   * @param {number} status 0 without a response.
   * @param {Fields} body
   * @param {string | null} retryAfter
   */
  constructor(status, body, retryAfter = null) {
    super(typeof body["message"] === "string" ? body["message"] : "");
    this.status = status;
    this.code = typeof body["code"] === "string" ? body["code"] : "";
    this.requestId = typeof body["request_id"] === "string" ? body["request_id"] : "";
    this.retryAfterSeconds = Number(retryAfter ?? 0);
    /** @type {readonly { field: string, message: string }[]} */
    this.problems = Array.isArray(body["errors"]) ? body["errors"] : [];
  }

  /** Whether the service cannot be reached, or cannot perform the request now. */
  get isOutage() {
    return this.status === 0 || this.status >= 500;
  }
}

/**
 * Parses integers that JavaScript's numbers would round, such as the id of a guild, to texts (D7).
 * @param {string} text
 * @returns {unknown}
 */
function parseExactly(text) {
  /** @type {(key: string, value: unknown, context?: { source?: string }) => unknown} */
  const withDigits = (_key, value, { source } = {}) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) && source !== undefined ? source : value;
  return JSON.parse(text, withDigits);
}

/**
 * @typedef {object} ApiResponse
 * @property {Record<string, unknown>} body
 * @property {string | null} etag
 */

/**
 * @typedef {object} RequestOptions
 * @property {string | null} [ifMatch]
 * @property {string} [idempotencyKey]
 */

/** The requests of one key for one guild. The key is in the Authorization header only. */
export class Api {
  #key;

  /**
   * @param {string} key
   * @param {string} guildId
   */
  constructor(key, guildId) {
    this.#key = key;
    this.guildId = guildId;
  }

  /**
   * Sends a request. Rejects with a RequestError.
   * @param {string} path
   * @param {Fields} [fields]
   * @param {RequestOptions} [options]
   * @returns {Promise<ApiResponse>}
   */
  async send(path, fields = {}, { ifMatch = null, idempotencyKey } = {}) {
    const headers = { ...this.#authorization(), "Content-Type": "application/json" };
    const response = await request(path, {
      method: "POST",
      headers: {
        ...headers,
        ...(ifMatch === null ? {} : { "If-Match": ifMatch }),
        ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
      },
      body: JSON.stringify({ guild_id: this.guildId, ...fields }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = await jsonOf(response);
    if (!response.ok) throw new RequestError(response.status, body, response.headers.get("retry-after"));
    return { body, etag: response.headers.get("etag") };
  }

  /**
   * Reads all pages of a list, at most `maxEntries` of its entries (D49).
   * @template T
   * @param {string} path
   * @param {string} name The field of the entries.
   * @param {Fields} [fields]
   * @param {number} [maxEntries]
   * @returns {Promise<T[]>}
   */
  async list(path, name, fields = {}, maxEntries = 10_000) {
    /** @type {T[]} */
    const entries = [];
    for (let cursor; ;) {
      const { body } = await this.send(path, { ...fields, limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
      entries.push(.../** @type {T[]} */ (body[name]));
      cursor = body["next"];
      if (cursor === undefined || entries.length >= maxEntries) return entries;
    }
  }

  /**
   * Opens the stream of changes (D48). EventSource cannot send the header with the key.
   * @param {string | undefined} token
   * @param {AbortSignal} signal
   */
  async openStream(token, signal) {
    const response = await request(`/v2/changes/stream?guild_id=${encodeURIComponent(this.guildId)}`, {
      headers: {
        ...this.#authorization(),
        Accept: "text/event-stream",
        ...(token === undefined ? {} : { "Last-Event-ID": token }),
      },
      signal,
    });
    if (response.ok && response.body !== null) return response.body;
    throw new RequestError(response.status, await jsonOf(response), response.headers.get("retry-after"));
  }

  /**
   * The address of a path of the service, as people pass it on.
   * @param {string} path
   */
  addressOf(path) {
    return `${API_BASE}${path}`;
  }

  #authorization() {
    return { Authorization: `Bearer ${this.#key}` };
  }
}

/**
 * @param {string} path
 * @param {RequestInit} init
 */
async function request(path, init) {
  try {
    return await fetch(`${API_BASE}${path}`, { ...init, credentials: "omit", cache: "no-store", redirect: "error" });
  } catch {
    throw new RequestError(0, {});
  }
}

/**
 * @param {Response} response
 * @returns {Promise<Record<string, unknown>>}
 */
async function jsonOf(response) {
  try {
    return /** @type {Record<string, unknown>} */ (parseExactly(await response.text()));
  } catch {
    throw new RequestError(response.ok ? 0 : response.status, {});
  }
}

/**
 * What the key may do in the guild. The API has no endpoint that reports it. Therefore the console sends an update that cannot succeed:
 * its precondition has not the form of a revision, so no revision fulfils it. The service refuses a read-only key (403) before
 * it compares the revision (412; D3, D36).
 * @param {Api} api
 * @returns {Promise<"read" | "write" | "operator">}
 */
export async function accessOf(api) {
  // Rejects for a key that is invalid or without access to the guild.
  await api.send("/v2/guild/settings/get");
  if ((await refusalOf(api.send("/v2/guild/settings/update", {}, { ifMatch: '"none"' }))) === 403) return "read";
  return (await refusalOf(api.send("/admin/keys/list", { amount: 1 }))) === 403 ? "write" : "operator";
}

/**
 * The status of a refusal that shows what the key may do; undefined for a success.
 * @param {Promise<unknown>} sent
 */
const refusalOf = (sent) =>
  sent.then(
    () => undefined,
    (error) => {
      if (error instanceof RequestError && (error.status === 403 || error.status === 412)) return error.status;
      throw error;
    },
  );

/** A key for `Idempotency-Key`. `crypto.randomUUID` exists only on pages of https and localhost. */
export function newIdempotencyKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
