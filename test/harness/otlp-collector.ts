import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { protobufFields } from "./protobuf.ts";

/** The fields of a received span that tests check. */
export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** The id of the parent span; empty for the first span of a trace. */
  readonly parentId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
}

/** A collector that receives OTLP over HTTP, as protobuf (opentelemetry-proto 1, `trace_service.proto`). */
export interface OtlpCollector {
  readonly endpoint: string;
  readonly spans: readonly ReceivedSpan[];
  /** The bodies of all requests. */
  readonly bodies: readonly Buffer[];
  /** The headers of all requests. */
  readonly headers: readonly NodeJS.Dict<string | string[]>[];
  stop(): Promise<void>;
}

export async function startOtlpCollector(): Promise<OtlpCollector> {
  const [spans, bodies, headers]: [ReceivedSpan[], Buffer[], OtlpCollector["headers"][number][]] = [[], [], []];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      if (request.url !== "/v1/traces") return response.writeHead(404).end();
      const message = request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
      headers.push(request.headers);
      bodies.push(message);
      spans.push(...spansIn(message));
      return response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    headers,
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function spansIn(request: Buffer): ReceivedSpan[] {
  return messages(request, 1).flatMap((resourceSpans) => {
    const service = attributesOf(messages(resourceSpans, 1)[0] ?? Buffer.alloc(0), 1)["service.name"] ?? "";
    return messages(resourceSpans, 2).flatMap((scope) => messages(scope, 2).map((span) => spanOf(span, service)));
  });
}

function spanOf(span: Buffer, service: string): ReceivedSpan {
  return {
    service,
    traceId: hex(span, 1),
    spanId: hex(span, 2),
    parentId: hex(span, 4),
    name: text(span, 5),
    kind: Number(protobufFields(span).find(([number]) => number === 6)?.[1] ?? 0),
    attributes: attributesOf(span, 9),
    links: messages(span, 13).map((link) => ({ traceId: hex(link, 1), spanId: hex(link, 2) })),
  };
}

/** The text values of attributes; empty for numbers. */
function attributesOf(message: Buffer, number: number): Record<string, string> {
  const pairs = messages(message, number).map((pair) => [text(pair, 1), text(messages(pair, 2)[0] ?? pair, 1)]);
  return Object.fromEntries(pairs);
}

function messages(message: Buffer, wanted: number): Buffer[] {
  return protobufFields(message).flatMap(([number, value]) =>
    number === wanted && typeof value !== "bigint" ? [value] : [],
  );
}

function hex(message: Buffer, number: number): string {
  return messages(message, number)[0]?.toString("hex") ?? "";
}

function text(message: Buffer, number: number): string {
  return messages(message, number)[0]?.toString() ?? "";
}
