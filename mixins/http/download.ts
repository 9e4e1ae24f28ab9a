import type { IncomingHttpHeaders } from "node:http";
import { Agent, type Dispatcher } from "undici";
import type { PrivateNetworks } from "./private-networks.ts";
import { guardedLookup, isAllowedUrl, type ResolveAll, TARGET_REFUSED } from "./target-guard.ts";

/** The response to a download, after its redirects. */
export interface Download {
  readonly kind: "response";
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Ends with an error if the response is not complete. */
  readonly body: AsyncIterable<Buffer>;
  /** Closes the connection if the body was not read to its end. */
  close(): void;
}

/** Why there is no response. */
export interface FailedDownload {
  readonly kind: "failed";
  readonly error: "TARGET_REFUSED" | "NO_RESPONSE" | "TIMED_OUT" | "TOO_MANY_REDIRECTS";
  readonly message: string;
}

export interface Downloader {
  /** Requests an address, and the addresses that it redirects to. Never throws. */
  get(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Download | FailedDownload>;
  /** Closes every connection. */
  close(): void;
}

interface DownloaderOptions {
  /** The private, loopback and link-local addresses that are allowed. */
  readonly allowPrivate: PrivateNetworks;
  /** Replaces the system's resolver. */
  readonly resolve?: ResolveAll;
}

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Downloads from URLs that users choose. Every URL, that of a redirect included, is checked, and the connection uses the IP
 * addresses that were checked (`target-guard.ts`).
 */
export function downloader({ allowPrivate, resolve }: DownloaderOptions): Downloader {
  const agentFor = (protocol: string) =>
    new Agent({
      pipelining: 1,
      allowH2: false,
      // The next download is minutes later.
      keepAliveTimeout: 1,
      // The signal limits the time of the whole download.
      headersTimeout: 0,
      bodyTimeout: 0,
      // The signal also ends an attempt to connect.
      connect: { timeout: 0, lookup: guardedLookup(protocol, allowPrivate, resolve) },
    });
  const agents: Readonly<Record<string, Agent>> = { "https:": agentFor("https:"), "http:": agentFor("http:") };

  async function request(target: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal) {
    const agent = agents[target.protocol] as Agent;
    const path = target.pathname + target.search;
    const response = agent.request({ origin: target.origin, path, method: "GET", headers, signal });
    return orAborted(response, signal);
  }

  return {
    async get(url, headers, signal) {
      let target = url;
      try {
        for (let redirects = 0; ; redirects += 1) {
          if (!isAllowedUrl(target, allowPrivate)) return REFUSED;
          const response = await request(new URL(target), headers, signal);
          const next = locationOf(response, target);
          if (next === undefined) return downloadOf(response);
          close(response);
          if (redirects === MAX_REDIRECTS) return TOO_MANY;
          target = next;
        }
      } catch (error) {
        return failureOf(error, signal);
      }
    },
    close() {
      for (const agent of Object.values(agents)) void agent.destroy();
    },
  };
}

/** undici notices the signal only after it has resolved the name of the host, which may take minutes. */
async function orAborted(
  response: Promise<Dispatcher.ResponseData>,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([response, aborted.promise]);
  } catch (error) {
    void response.then(close, () => undefined);
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

const REFUSED: FailedDownload = {
  kind: "failed",
  error: TARGET_REFUSED,
  message: "the address, or one that it redirects to, is not allowed: it must be https, and public",
};
const TOO_MANY: FailedDownload = {
  kind: "failed",
  error: "TOO_MANY_REDIRECTS",
  message: `there were more than ${MAX_REDIRECTS} redirects`,
};

/** The URL of a redirect; undefined for another response. A malformed URL becomes `invalid:`, which is refused. */
function locationOf({ statusCode, headers }: Dispatcher.ResponseData, from: string): string | undefined {
  const { location } = headers;
  if (!REDIRECTS.has(statusCode) || typeof location !== "string") return undefined;
  return URL.canParse(location, from) ? new URL(location, from).href : "invalid:";
}

function downloadOf(response: Dispatcher.ResponseData): Download {
  const { statusCode: status, headers, body } = response;
  return { kind: "response", status, headers, body, close: () => close(response) };
}

/** Closes the connection of a response. undici reports the close as an error of the body, which is ignored. */
function close({ body }: Dispatcher.ResponseData): void {
  body.on("error", () => undefined).destroy();
}

/** The failure of a request, or of the body of its response. The signal is aborted at the timeout or at a stop. */
export function failureOf(error: unknown, signal: AbortSignal): FailedDownload {
  if (signal.aborted) return { kind: "failed", error: "TIMED_OUT", message: "the response took too long" };
  const { code, message, errors } = error as NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] };
  // An AggregateError has `errors`: undici tried several addresses.
  const reason = errors?.[0]?.code ?? code ?? message;
  if (reason === TARGET_REFUSED) return REFUSED;
  return { kind: "failed", error: "NO_RESPONSE", message: `there was no complete response: ${reason}` };
}
