import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";

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
const MOST_CONNECTIONS = 64;

/** Keeps connections open between requests. */
export function httpClient({ mostBytes, lookup, idleMs = 30_000 }: HttpClientOptions): HttpClient {
  const connections = { keepAlive: true, maxSockets: MOST_CONNECTIONS, timeout: idleMs };
  const http = new HttpAgent(connections);
  const https = new HttpsAgent(connections);
  const resolver = lookup === undefined ? {} : { lookup };

  function open({ method, url, headers, body }: HttpRequest): ClientRequest {
    // The length is given, so that the body is not sent in chunks.
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const options = { method, headers: { ...headers, ...length }, ...resolver };
    return url.protocol === "https:"
      ? httpsRequest(url, { ...options, agent: https })
      : httpRequest(url, { ...options, agent: http });
  }

  return {
    exchange: (request) =>
      new Promise<HttpAnswer>((resolve) => {
        const outgoing = open(request);
        const isConnected = watchConnection(outgoing);
        const finish = (answer: HttpAnswer) => {
          clearTimeout(timer);
          resolve(answer);
        };
        const timer = setTimeout(() => {
          finish({ kind: "unanswered", reason: "timed out", mayHaveArrived: isConnected() });
          outgoing.destroy();
        }, request.timeoutMs);
        outgoing.on("error", (error) => finish(unanswered(error, isConnected())));
        outgoing.on("response", (incoming) => void readAnswer(incoming, mostBytes).then(finish));
        outgoing.end(request.body);
      }).catch((error: unknown) => unanswered(error, false)),
    close() {
      http.destroy();
      https.destroy();
    },
  };
}

async function readAnswer(incoming: IncomingMessage, mostBytes: number): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      // Leaving the loop destroys the connection: the rest is never read.
      if (bytes >= mostBytes) break;
    }
  } catch (error) {
    return unanswered(error, true);
  }
  const body = Buffer.concat(chunks).subarray(0, mostBytes).toString("utf8");
  return { kind: "answered", status: incoming.statusCode ?? 0, headers: incoming.headers, body };
}

/** Of several addresses that were tried, the first one's error. */
function unanswered(error: unknown, mayHaveArrived: boolean): HttpAnswer {
  const { code, message, errors } = error as NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] };
  return { kind: "unanswered", reason: errors?.[0]?.code ?? code ?? message, mayHaveArrived };
}

/** Whether the request has had a connection, encrypted where it is to be: nothing is sent before. */
function watchConnection(outgoing: ClientRequest): () => boolean {
  let isConnected = false;
  const connected = (): void => void (isConnected = true);
  outgoing.once("socket", (socket) => {
    // One that was used before, whether it was idle or handed on at once, is past its connection and handshake.
    if (!socket.connecting && !socket.destroyed) connected();
    else socket.once(outgoing.protocol === "https:" ? "secureConnect" : "connect", connected);
  });
  return () => isConnected;
}
