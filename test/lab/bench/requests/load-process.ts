import { connect, type Socket } from "node:net";

/** Requests to one path. Each request uses the next body. */
export interface Load {
  /** The ports among which the connections are shared. */
  readonly ports: readonly number[];
  /** Number of connections; each has one request in flight. */
  readonly connections: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodies: readonly string[];
  readonly requests: number;
}

export interface LoadOutcome {
  readonly seconds: number;
  /** The latency of each request in milliseconds, unordered. */
  readonly latencies: Float64Array;
}

const HEAD_END = Buffer.from("\r\n\r\n");

/** A connection that sends the next request after each response; fails on any status except 200. */
class Sender {
  readonly #socket: Socket;
  readonly #next: () => Buffer;
  readonly #onResponse: (ms: number) => boolean;
  readonly done: Promise<void>;
  #sentAt = 0;
  #missing = 0;
  #head: Buffer = Buffer.alloc(0);

  constructor(port: number, next: () => Buffer, onResponse: (ms: number) => boolean) {
    this.#next = next;
    this.#onResponse = onResponse;
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.done = new Promise((resolve, reject) => {
      this.#socket.once("connect", () => this.#send());
      this.#socket.on("data", (chunk) => this.#read(chunk, reject));
      this.#socket.once("error", reject);
      this.#socket.once("close", () => resolve());
    });
  }

  #send(): void {
    this.#sentAt = performance.now();
    this.#socket.write(this.#next());
  }

  #read(chunk: Buffer, reject: (error: Error) => void): void {
    if (this.#missing === 0) {
      this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
      const end = this.#head.indexOf(HEAD_END);
      if (end < 0) return;
      const head = this.#head.toString("latin1", 0, end);
      if (!head.startsWith("HTTP/1.1 200")) {
        reject(new Error(`unexpected response: ${this.#head.toString()}`));
        return;
      }
      this.#missing = lengthOf(head) - (this.#head.length - end - HEAD_END.length);
      this.#head = Buffer.alloc(0);
    } else this.#missing -= chunk.length;
    if (this.#missing > 0) return;
    if (this.#onResponse(performance.now() - this.#sentAt)) this.#send();
    else this.#socket.destroy();
  }
}

function lengthOf(head: string): number {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`no Content-Length: ${head}`);
  return Number(length);
}

function requestOf({ path, headers }: Load, body: string): Buffer {
  const length = String(Buffer.byteLength(body));
  const all = { host: "127.0.0.1", ...headers, "content-type": "application/json", "content-length": length };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}

async function send(load: Load): Promise<LoadOutcome> {
  const { ports, connections, requests } = load;
  const ready = load.bodies.map((body) => requestOf(load, body));
  let sent = 0;
  const next = () => ready[sent++ % ready.length] as Buffer;
  const latencies = new Float64Array(requests);
  let answered = 0;
  const onResponse = (took: number) => {
    latencies[answered] = took;
    answered += 1;
    return answered + connections <= requests;
  };
  const began = performance.now();
  const senders = Array.from({ length: Math.min(connections, requests) }, (_, at) => {
    return new Sender(ports[at % ports.length] as number, next, onResponse);
  });
  await Promise.all(senders.map(({ done }) => done));
  return { seconds: (performance.now() - began) / 1000, latencies };
}

/** The process that sends the load, separate from the servers and from the bench, which would delay it. */
process.on("message", (load: Load) => {
  send(load).then(
    (outcome) => process.send?.(outcome),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
