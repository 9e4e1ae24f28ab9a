import { setTimeout as pause } from "node:timers/promises";
import { StartupError } from "../../run/startup-error.ts";

type Json = Readonly<Record<string, unknown>>;

/** A response that is no reason to try again: 200, or a refusal of this request. */
export interface GuildcalResponse {
  readonly status: number;
  readonly body: Json;
}

export interface GuildcalRequests {
  /** Sends a JSON object. Only for requests that may be repeated. */
  post(path: string, body: object, idempotencyKey?: string): Promise<GuildcalResponse>;
  /** Imports an iCalendar body, until it is complete. */
  importCalendar(query: Readonly<Record<string, string>>, body: string): Promise<GuildcalResponse>;
}

interface RequestParts {
  readonly baseUrl: string;
  readonly key: string;
  readonly wait?: (ms: number) => Promise<unknown>;
  readonly send?: typeof fetch;
}

const JSON_TIMEOUT_MS = 15_000;
/** An import ends after 45 seconds. */
const IMPORT_TIMEOUT_MS = 75_000;
/** Attempts without any useful response, about two minutes. */
const MAX_FAILURES = 8;
const MAX_BACKOFF_MS = 30_000;
/** A longer wait is for people: the run ends, and a further one continues. */
const MAX_WAIT_MS = 15 * 60_000;
/** Requests for the same import; each stores what fits into 45 seconds. */
const MAX_ROUNDS = 200;

/** Requests one after the other, as fast as `Retry-After` of the service allows. */
export function guildcalRequests({ baseUrl, key, wait = pause, send = fetch }: RequestParts): GuildcalRequests {
  async function request(path: string, init: RequestInit, timeoutMs: number): Promise<GuildcalResponse> {
    for (let failures = 0; ;) {
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await send(baseUrl + path, { ...init, method: "POST", signal, redirect: "manual" }).catch(
        () => undefined,
      );
      const body = response && (await jsonIn(response));
      if (response !== undefined && body !== undefined && !isTemporary(response.status)) {
        refuseKey(response.status, body);
        return { status: response.status, body };
      }
      const retryAfter = response?.headers.get("retry-after") ?? null;
      if (retryAfter === null && (failures += 1) > MAX_FAILURES) {
        throw new StartupError(`${baseUrl} does not respond: run the same command again to continue`);
      }
      const waitMs = retryAfter === null ? Math.min(MAX_BACKOFF_MS, 500 * 2 ** failures) : 1_000 * Number(retryAfter);
      if (!(waitMs <= MAX_WAIT_MS)) {
        throw new StartupError(
          `guildcal accepts further requests in ${retryAfter} seconds: run the same command again then`,
        );
      }
      await wait(waitMs);
    }
  }

  return {
    post: (path, body, idempotencyKey) =>
      request(
        path,
        {
          headers: {
            authorization: `Bearer ${key}`,
            "content-type": "application/json",
            ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
          },
          body: JSON.stringify(body),
        },
        JSON_TIMEOUT_MS,
      ),
    async importCalendar(query, body) {
      const path = `/v2/calendar/import?${new URLSearchParams(query).toString()}`;
      const headers = { authorization: `Bearer ${key}`, "content-type": "text/calendar; charset=utf-8" };
      for (let round = 1; ; round += 1) {
        const response = await request(path, { headers, body }, IMPORT_TIMEOUT_MS);
        if (response.status !== 200 || response.body["complete"] === true) return response;
        if (round >= MAX_ROUNDS)
          throw new StartupError(`The import of a calendar is not complete after ${round} requests`);
      }
    },
  };
}

/** The words of a refusal; v1 and v2 write their name differently. */
export function wordsOf({ status, body }: GuildcalResponse): string {
  const words = body["message"] ?? body["Message"];
  return typeof words === "string" ? words : `status ${status}`;
}

/** The service is overloaded or in doubt, or a proxy has responded: the same request again is safe. */
function isTemporary(status: number): boolean {
  return status === 429 || status >= 500;
}

/** A key that may not write one guild can write no row of it: the run ends. */
function refuseKey(status: number, body: Json): void {
  const isKey = status === 401 || (status === 403 && body["code"] !== "OPERATOR_ONLY");
  if (isKey) throw new StartupError(`guildcal refuses the key: ${wordsOf({ status, body })}`);
}

async function jsonIn(response: Response): Promise<Json | undefined> {
  try {
    return (await response.json()) as Json;
  } catch {
    return undefined;
  }
}
