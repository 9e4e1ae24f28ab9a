import type { IncomingHttpHeaders } from "node:http";
import type { LookupFunction } from "node:net";
import { Agent, type Dispatcher } from "undici";

export interface HttpRequest {
  readonly method: "DELETE" | "GET" | "PATCH" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Time for name resolution, connection, request and response together. */
  readonly timeoutMs: number;
}

export type HttpResult =
  | {
      readonly kind: "response";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      /** The first `maxBodyBytes` of the body. */
      readonly body: string;
    }
  | {
      readonly kind: "noResponse";
      readonly reason: string;
      /** False if there was no connection, so the request certainly did not arrive. */
      readonly mayHaveArrived: boolean;
    };

export interface HttpClient {
  /** Sends one request. Follows no redirect, retries nothing, and never throws. */
  exchange(request: HttpRequest): Promise<HttpResult>;
  /** Closes every connection; requests in flight get no response. */
  close(): void;
}

interface HttpClientOptions {
  /** The rest of a longer body is not read. */
  readonly maxBodyBytes: number;
  /** Replaces the system's resolver. */
  readonly lookup?: LookupFunction;
  /**
   * Idle connections are closed after this time; 30 s when absent. A firewall may drop an older connection silently, and
   * the next post on it would be lost until its timeout.
   */
  readonly idleMs?: number;
}

/** Largest number of connections to one host. Further requests wait for a free connection within their timeout. */
const MAX_CONNECTIONS = 64;
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Keeps connections open between requests. Uses `undici` because a post costs half of what it costs with node:http, and
 * because undici reports when it begins to send a request.
 */
export function httpClient({ maxBodyBytes, lookup, idleMs = 30_000 }: HttpClientOptions): HttpClient {
  const agent = new Agent({
    connections: MAX_CONNECTIONS,
    // One request at a time on a connection: if it is lost, it must be known which request may have arrived.
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    // Each request has a timeout of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: CONNECT_TIMEOUT_MS, ...(lookup === undefined ? {} : { lookup }) },
  });

  return {
    exchange: ({ method, url, headers, body = null, timeoutMs }) =>
      new Promise((resolve) => {
        const exchange = new Exchange(maxBodyBytes, timeoutMs, resolve);
        agent.dispatch({ origin: url.origin, path: url.pathname + url.search, method, headers, body }, exchange);
      }),
    close: () => void agent.destroy(),
  };
}

/** Collects the response of one request. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #maxBodyBytes: number;
  readonly #resolve: (result: HttpResult) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #head: Pick<HttpResult & { kind: "response" }, "status" | "headers"> = { status: 0, headers: {} };
  #connection: Dispatcher.DispatchController | undefined;
  #isOver = false;

  constructor(maxBodyBytes: number, timeoutMs: number, resolve: (result: HttpResult) => void) {
    this.#maxBodyBytes = maxBodyBytes;
    this.#resolve = resolve;
    this.#timer = setTimeout(() => this.#endEarly(this.#noResponse("timed out")), timeoutMs);
  }

  /** Called with an open connection, after the TLS handshake; the request is sent after this returns. */
  onRequestStart(connection: Dispatcher.DispatchController): void {
    if (this.#isOver) connection.abort(new Error("its time is over"));
    else this.#connection = connection;
  }

  onResponseStart(_connection: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#head = { status, headers };
  }

  onResponseData(_connection: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= this.#maxBodyBytes) this.#endEarly(this.#response());
  }

  onResponseEnd(): void {
    this.#end(this.#response());
  }

  onResponseError(_connection: Dispatcher.DispatchController, error: Error): void {
    this.#end(this.#noResponse(reasonOf(error)));
  }

  #response(): HttpResult {
    const body = Buffer.concat(this.#chunks).subarray(0, this.#maxBodyBytes).toString("utf8");
    return { kind: "response", ...this.#head, body };
  }

  #noResponse(reason: string): HttpResult {
    return { kind: "noResponse", reason, mayHaveArrived: this.#connection !== undefined };
  }

  #endEarly(result: HttpResult): void {
    this.#end(result);
    this.#connection?.abort(new Error("enough was read"));
  }

  #end(result: HttpResult): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#resolve(result);
  }
}

/** The code of the first error if several addresses were tried; undici's own errors by their message. */
function reasonOf(error: Error): string {
  const { code, message, errors } = error as NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] };
  const reason = errors?.[0]?.code ?? code;
  return reason === undefined || reason.startsWith("UND_ERR") ? message : reason;
}
