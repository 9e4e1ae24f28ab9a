import type {
  ApiResponse,
  ApiError,
  ClientOptions,
  GuildcalClient,
  NoResponseError,
  PagedPath,
  Path,
  RequestOf,
  RequestOptions,
  ResponseOf,
} from "./client-types.ts";
import { apiError, isApiError, isNoResponseError, noResponseError } from "./errors.ts";
import { parseExactly, stringifyExactly } from "./exact-json.ts";
import { followChanges } from "./follow-changes.ts";
import { OPERATIONS } from "./operations.ts";
import { pause } from "./pause.ts";
import { waitBeforeRetry } from "./retry-policy.ts";

const DEFAULTS = { timeoutMs: 30_000, attemptTimeoutMs: 10_000, maxAttempts: 5 };
/** Timeouts of an import, which the service ends after 45 seconds. */
const IMPORT = { timeoutMs: 180_000, attemptTimeoutMs: 60_000 };
/** Maximum number of rounds of `modify`. A round fails if another client changes the resource after its read. */
const MAX_ROUNDS = 10;

/** Options of any operation. */
interface AnyOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly ifMatch?: string | readonly string[] | undefined;
}

interface AttemptLimits {
  readonly isRepeatable: boolean;
  readonly timeoutMs: number;
  readonly attemptTimeoutMs: number;
}

/** A request, the same in each attempt. */
interface PreparedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
}

export function guildcalClient({ baseUrl, key, fetch: send = fetch, ...given }: ClientOptions): GuildcalClient {
  const base = new URL(baseUrl).href.replace(/\/$/, "");
  const timeoutMs = given.timeoutMs ?? DEFAULTS.timeoutMs;
  const attemptTimeoutMs = given.attemptTimeoutMs ?? DEFAULTS.attemptTimeoutMs;
  const maxAttempts = given.maxAttempts ?? DEFAULTS.maxAttempts;

  function prepare(path: Path, body: object, options: AnyOptions, isDryRun = false): PreparedRequest {
    const { idempotencyKey, ifMatch, signal } = options;
    const isNamed = OPERATIONS[path].acceptsIdempotencyKey && !isDryRun;
    const name = isNamed ? (idempotencyKey ?? crypto.randomUUID()) : undefined;
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      ...(name === undefined ? {} : { "idempotency-key": name }),
      ...(ifMatch === undefined ? {} : { "if-match": [ifMatch].flat().join(", ") }),
    };
    return { url: base + path, headers, body: stringifyExactly(body), idempotencyKey: name, signal };
  }

  /** One attempt. Rejects with an ApiError, a NoResponseError, or the reason of the caller's signal. */
  async function sendOnce<Response>(prepared: PreparedRequest, withinMs: number): Promise<Response> {
    const { url, headers, body, idempotencyKey, signal: ended } = prepared;
    const timeout = AbortSignal.timeout(withinMs);
    const signal = ended === undefined ? timeout : AbortSignal.any([ended, timeout]);
    try {
      const response = await send(url, { method: "POST", headers, body, signal, redirect: "manual" });
      const data = jsonObjectIn(await response.text());
      if (response.status !== 200 || data === undefined) throw apiError(response, data, idempotencyKey);
      const etag = response.headers.get("etag") ?? undefined;
      return { data, etag, requestId: response.headers.get("x-request-id") ?? "" } as Response;
    } catch (error) {
      ended?.throwIfAborted();
      throw isApiError(error) ? error : noResponseError(error, idempotencyKey);
    }
  }

  async function request<P extends Path>(
    path: P,
    body: RequestOf<P>,
    options: AnyOptions = {},
  ): Promise<ApiResponse<P>> {
    const prepared = prepare(path, body, options);
    const isRepeatable = OPERATIONS[path].isRead || prepared.idempotencyKey !== undefined;
    return attempts<ApiResponse<P>>(prepared, {
      isRepeatable,
      timeoutMs: options.timeoutMs ?? timeoutMs,
      attemptTimeoutMs,
    });
  }

  const dryRun: GuildcalClient["dryRun"] = (path, body, options: AnyOptions = {}) => {
    const prepared = prepare(path, { ...body, dry_run: true }, options, true);
    return attempts(prepared, { isRepeatable: true, timeoutMs: options.timeoutMs ?? timeoutMs, attemptTimeoutMs });
  };

  /** Sends a request until it has a response that a further attempt would not change. */
  async function attempts<Response>(prepared: PreparedRequest, limits: AttemptLimits): Promise<Response> {
    const { isRepeatable } = limits;
    const deadline = performance.now() + limits.timeoutMs;
    const leftMs = () => Math.max(0, Math.floor(deadline - performance.now()));
    for (let count = 1; ; count += 1) {
      prepared.signal?.throwIfAborted();
      try {
        return await sendOnce<Response>(prepared, Math.min(limits.attemptTimeoutMs, leftMs()));
      } catch (error) {
        if (!isRetried(error)) throw error;
        const waitMs = waitBeforeRetry(error, { attempt: count, isRepeatable, random: Math.random() });
        if (waitMs === undefined || count >= maxAttempts || waitMs >= leftMs()) throw error;
        await pause(waitMs, prepared.signal);
      }
    }
  }

  async function* pages<P extends PagedPath>(path: P, body: RequestOf<P>, options?: RequestOptions<P>) {
    for (let page: RequestOf<P> | undefined = body; page !== undefined;) {
      const { data } = await request(path, page, options);
      yield data;
      const { next } = data as { readonly next?: string };
      page = next === undefined ? undefined : { ...body, [OPERATIONS[path].cursorField]: next };
    }
  }

  const modify: GuildcalClient["modify"] = async (resource, reference, change, { signal } = {}) => {
    for (let round = 1; ; round += 1) {
      const read = await request(`${resource}/get` as Path, reference as never, { signal });
      const changes = await change(read.data as ResponseOf<`${typeof resource}/get`>);
      if (changes === undefined) return undefined;
      try {
        const body = { ...reference, ...changes } as never;
        return (await request(`${resource}/update` as Path, body, { signal, ifMatch: read.etag })) as never;
      } catch (error) {
        if (round >= MAX_ROUNDS || !isApiError(error, "REVISION_MISMATCH")) throw error;
      }
    }
  };

  const follow: GuildcalClient["follow"] = (guildId, options = {}) =>
    followChanges({ base, key, send, guildId }, options);

  const importCalendar: GuildcalClient["importCalendar"] = (query, body, { signal, timeoutMs: ms } = {}) => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
    const headers = { authorization: `Bearer ${key}`, "content-type": "text/calendar; charset=utf-8" };
    const url = `${base}/v2/calendar/import?${search.toString()}`;
    const prepared = { url, headers, body, idempotencyKey: undefined, signal };
    // A repeated import does not change the events that are stored already.
    return attempts(prepared, { ...IMPORT, timeoutMs: ms ?? IMPORT.timeoutMs, isRepeatable: true });
  };

  return { request, dryRun, pages, follow, modify, importCalendar };
}

function isRetried(error: unknown): error is ApiError | NoResponseError {
  return isApiError(error) || isNoResponseError(error);
}

/** The JSON object of a body; undefined for anything else, such as the page of a proxy. */
function jsonObjectIn(text: string): object | undefined {
  try {
    const value = parseExactly(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
