import {
  context,
  type Context,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { readTraceparent, writeTraceparent } from "./trace-context.ts";
import type { SpanStart, Tracer, MonitoredClient, RunningSpan } from "./tracer.ts";

/** The collector that receives the spans, and their resource attributes. */
export interface ExporterOptions {
  /** Base URL of the collector; `/v1/traces` is appended (OTLP/HTTP). */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Share of the traces that start here and are recorded, 0 … 1. */
  readonly ratio: number;
  readonly service: string;
  readonly nodeId: string;
  readonly version: string;
  /** Called when spans could not be delivered. */
  readonly onProblem: (problem: string) => void;
}

export interface RunningTracer extends Tracer {
  /** Sends the remaining spans, for at most two seconds. */
  stop(): Promise<void>;
}

/** Limits of the queue of unsent spans, beyond which spans are dropped, and of one request to the collector. */
const QUEUE = { maxQueueSize: 2048, maxExportBatchSize: 512, scheduledDelayMillis: 1_000, exportTimeoutMillis: 5_000 };
const STOP_TIMEOUT_MS = 2_000;
/** Largest number of MongoDB commands with an open span; further commands have no span. */
const MAX_COMMANDS = 5_000;
const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/** Starts OpenTelemetry's SDK. No other module imports it. */
export function startOpenTelemetry(options: ExporterOptions): RunningTracer {
  const { endpoint, headers, ratio, service, nodeId, version, onProblem } = options;
  const ignore = () => undefined;
  diag.setLogger(
    { error: onProblem, warn: onProblem, info: ignore, debug: ignore, verbose: ignore },
    DiagLogLevel.WARN,
  );
  const contexts = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(contexts);
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: QUEUE.exportTimeoutMillis,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.namespace": "guildcal",
      "service.name": service,
      "service.instance.id": nodeId,
      "service.version": version,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor({ ...QUEUE, exporter })],
  });
  const spans = provider.getTracer("guildcal", version);

  function start({ name, kind, parent, links = [], attributes = {} }: SpanStart): RunningSpan {
    const remoteParent = spanContextOf(parent);
    const parentContext = remoteParent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remoteParent);
    const linked = links.map(spanContextOf).filter((each) => each !== undefined);
    const spanOptions = { kind: KINDS[kind], attributes, links: linked.map((each) => ({ context: each })) };
    const span = spans.startSpan(name, spanOptions, parentContext);
    return workSpan(span, trace.setSpan(parentContext, span));
  }

  function traceCommands(client: MonitoredClient): void {
    const inFlight = new Map<number, Span>();
    client.on("commandStarted", ({ requestId, commandName, databaseName, command }: CommandStarted) => {
      if (trace.getSpan(context.active())?.isRecording() !== true || inFlight.size >= MAX_COMMANDS) return;
      const collection = command[commandName];
      const named = typeof collection === "string" ? { "db.collection.name": collection } : {};
      const attributes = {
        "db.system.name": "mongodb",
        "db.namespace": databaseName,
        "db.operation.name": commandName,
      };
      const name = typeof collection === "string" ? `${commandName} ${collection}` : commandName;
      const span = spans.startSpan(name, { kind: SpanKind.CLIENT, attributes: { ...attributes, ...named } });
      inFlight.set(requestId, span);
    });
    const end = (status?: { code: SpanStatusCode }) => (event: CommandEnded) => {
      const span = inFlight.get(event.requestId);
      if (span === undefined) return;
      inFlight.delete(event.requestId);
      if (status !== undefined) span.setStatus(status);
      span.end();
    };
    client.on("commandSucceeded", end());
    client.on("commandFailed", end({ code: SpanStatusCode.ERROR }));
  }

  return {
    start,
    traceCommands,
    async stop() {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, STOP_TIMEOUT_MS);
      await Promise.race([provider.shutdown().catch((error: unknown) => onProblem(String(error))), late.promise]);
      clearTimeout(timer);
      contexts.disable();
    },
  };
}

interface CommandEnded {
  readonly requestId: number;
}

interface CommandStarted extends CommandEnded {
  readonly commandName: string;
  readonly databaseName: string;
  readonly command: Readonly<Record<string, unknown>>;
}

function workSpan(span: Span, spanContext: Context): RunningSpan {
  const { traceId, spanId: parentId, traceFlags } = span.spanContext();
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  return {
    traceparent: writeTraceparent({ traceId, parentId, isSampled }),
    run: (work) => context.with(spanContext, work),
    end(attributes = {}, isFailed = false) {
      span.setAttributes(attributes);
      if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

function spanContextOf(traceparent: string | undefined): SpanContext | undefined {
  const read = readTraceparent(traceparent);
  if (read === undefined) return undefined;
  const { traceId, parentId: spanId, isSampled } = read;
  return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}
