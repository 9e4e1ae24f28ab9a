import type { IncomingHttpHeaders } from "node:http";
import type { LookupFunction } from "node:net";
import { Agent, type Dispatcher } from "undici";

export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For everything together: name, connection, request, answer. */
  readonly timeoutMs: number;
}

export type HttpAnswer =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      /** As far as it was read; see `mostBytes`. */
      readonly body: string;
    }
  | {
      readonly kind: "unanswered";
      readonly reason: string;
      /** False when there was no connection to send the request on: then it surely did not arrive. */
      readonly mayHaveArrived: boolean;
    };

export interface HttpClient {
  /** One request and its answer. Follows no redirects, repeats nothing, and never throws. */
  exchange(request: HttpRequest): Promise<HttpAnswer>;
  /** Ends every connection; what is under way is unanswered. */
  close(): void;
}

interface HttpClientOptions {
  /** An answer's body is read up to here, and no further. */
  readonly mostBytes: number;
  /** Resolves names in place of the system's resolver. */
  readonly lookup?: LookupFunction;
  /**
   * A connection that was idle for so long is closed; 30 s when absent. What stands between may have forgotten an
   * older one without a word, and the first post of the hour would be lost on it until its time-out.
   */
  readonly idleMs?: number;
}

/** To one host at once. What finds none free waits for one, within its time. */
const MAX_CONNECTIONS = 64;
/** A connection that is not made by then makes room for another try. */
const CONNECT_MS = 5_000;

/**
 * Keeps connections open between requests. By the library `undici`, of which Node's own fetch is made: a post
 * costs half of what it does by node:http, and it says when a request begins to be sent.
 */
export function httpClient({ mostBytes, lookup, idleMs = 30_000 }: HttpClientOptions): HttpClient {
  const agent = new Agent({
    connections: MAX_CONNECTIONS,
    // One request a connection: with several, nobody could tell which of them arrived.
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    // Each request has its own time, for everything together.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: CONNECT_MS, ...(lookup === undefined ? {} : { lookup }) },
  });

  return {
    exchange: ({ method, url, headers, body = null, timeoutMs }) =>
      new Promise((resolve) => {
        const exchange = new Exchange(mostBytes, timeoutMs, resolve);
        agent.dispatch({ origin: url.origin, path: url.pathname + url.search, method, headers, body }, exchange);
      }),
    close: () => void agent.destroy(),
  };
}

/** One request, as its connection tells of it. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #mostBytes: number;
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #head: Pick<HttpAnswer & { kind: "answered" }, "status" | "headers"> = { status: 0, headers: {} };
  #connection: Dispatcher.DispatchController | undefined;
  #isOver = false;

  constructor(mostBytes: number, timeoutMs: number, resolve: (answer: HttpAnswer) => void) {
    this.#mostBytes = mostBytes;
    this.#resolve = resolve;
    this.#timer = setTimeout(() => this.#endEarly(this.#unanswered("timed out")), timeoutMs);
  }

  /** There is a connection, encrypted where it is to be, and nothing is sent before this returns. */
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
    if (this.#bytes >= this.#mostBytes) this.#endEarly(this.#answered());
  }

  onResponseEnd(): void {
    this.#end(this.#answered());
  }

  onResponseError(_connection: Dispatcher.DispatchController, error: Error): void {
    this.#end(this.#unanswered(reasonOf(error)));
  }

  #answered(): HttpAnswer {
    const body = Buffer.concat(this.#chunks).subarray(0, this.#mostBytes).toString("utf8");
    return { kind: "answered", ...this.#head, body };
  }

  #unanswered(reason: string): HttpAnswer {
    return { kind: "unanswered", reason, mayHaveArrived: this.#connection !== undefined };
  }

  /** What the connection still has to tell is of no use. */
  #endEarly(answer: HttpAnswer): void {
    this.#end(answer);
    this.#connection?.abort(new Error("enough was read"));
  }

  #end(answer: HttpAnswer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#resolve(answer);
  }
}

/** Of several addresses that were tried, the first one's error; the library's own errors by their text. */
function reasonOf(error: Error): string {
  const { code, message, errors } = error as NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] };
  const reason = errors?.[0]?.code ?? code;
  return reason === undefined || reason.startsWith("UND_ERR") ? message : reason;
}
