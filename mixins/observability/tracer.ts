type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Work to begin in a trace (OpenTelemetry's span). */
export interface SpanStart {
  /** One of a fixed set: no id, and no text of a client's. */
  readonly name: string;
  readonly kind: "server" | "client" | "internal";
  /** The `traceparent` of the work that led to it; a trace of its own where it is absent or malformed. */
  readonly parent?: string | undefined;
  /** The `traceparent`s of works that it is because of, in other traces. */
  readonly links?: readonly string[];
  readonly attributes?: Attributes;
}

/** Work in a trace, which has begun. */
export interface WorkSpan {
  /** Names it to whatever it leads to (W3C Trace Context). */
  readonly traceparent: string;
  /** Does some of the work: the database's commands in it are seen as parts of it. */
  run<Result>(work: () => Result): Result;
  end(attributes?: Attributes, isFailed?: boolean): void;
}

/** A connection of MongoDB's driver, as far as its commands are watched (`monitorCommands`). */
export interface MonitoredClient {
  on(event: string, listener: (event: never) => void): unknown;
}

/** Tells a collector what is done (opentelemetry.ts). */
export interface Tracer {
  start(span: SpanStart): WorkSpan;
  /** Makes a span of each command that is sent within a span's work. */
  traceCommands(client: MonitoredClient): void;
}

let current: Tracer | undefined;

/** The process's own; undefined while traces are off, which is all that they cost then. */
export function tracer(): Tracer | undefined {
  return current;
}

/** Switches traces on, before the process's services start, or off. */
export function setTracer(next: Tracer | undefined): void {
  current = next;
}
