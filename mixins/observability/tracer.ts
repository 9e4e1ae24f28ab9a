type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** The parameters of a new span (OpenTelemetry). */
export interface SpanStart {
  /** One of a fixed set of names, without an id or a text of a client. */
  readonly name: string;
  readonly kind: "server" | "client" | "internal";
  /** The `traceparent` of the parent; a new trace begins if it is absent or malformed. */
  readonly parent?: string | undefined;
  /** The `traceparent`s of causes in other traces. */
  readonly links?: readonly string[];
  readonly attributes?: Attributes;
}

/** A running span. */
export interface RunningSpan {
  /** The `traceparent` for the work that this span causes (W3C Trace Context). */
  readonly traceparent: string;
  /** Runs work within the span: commands of the database in it become child spans. */
  run<Result>(work: () => Result): Result;
  end(attributes?: Attributes, isFailed?: boolean): void;
}

/** A client of MongoDB's driver with `monitorCommands`. */
export interface MonitoredClient {
  on(event: string, listener: (event: never) => void): unknown;
}

/** Sends spans to a collector (opentelemetry.ts). */
export interface Tracer {
  start(span: SpanStart): RunningSpan;
  /** Creates a span for each command that is sent within another span. */
  traceCommands(client: MonitoredClient): void;
}

let current: Tracer | undefined;

/** The tracer of the process; undefined while traces are off, so that nothing else runs then. */
export function tracer(): Tracer | undefined {
  return current;
}

/** Switches traces on or off. Called before the services start. */
export function setTracer(next: Tracer | undefined): void {
  current = next;
}
