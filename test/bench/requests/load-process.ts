import { connect, type Socket } from "node:net";

/** The same request so many times, so many of them at once. */
export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly requests: number;
}

export interface LoadOutcome {
  readonly seconds: number;
  /** In milliseconds, one a request, in no order. */
  readonly latencies: Float64Array;
}

const HEAD_END = Buffer.from("\r\n\r\n");

/** One connection that sends a request as soon as the last one is answered; fails on any answer but 200. */
class Sender {
  readonly #socket: Socket;
  readonly #request: Buffer;
  readonly #onAnswer: (ms: number) => boolean;
  readonly done: Promise<void>;
  #sentAt = 0;
  #missing = 0;
  #head: Buffer = Buffer.alloc(0);

  constructor(port: number, request: Buffer, onAnswer: (ms: number) => boolean) {
    this.#request = request;
    this.#onAnswer = onAnswer;
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
    this.#socket.write(this.#request);
  }

  #read(chunk: Buffer, reject: (error: Error) => void): void {
    if (this.#missing === 0) {
      this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
      const end = this.#head.indexOf(HEAD_END);
      if (end < 0) return;
      const head = this.#head.toString("latin1", 0, end);
      if (!head.startsWith("HTTP/1.1 200")) {
        reject(new Error(`answered with ${this.#head.toString()}`));
        return;
      }
      this.#missing = lengthOf(head) - (this.#head.length - end - HEAD_END.length);
      this.#head = Buffer.alloc(0);
    } else this.#missing -= chunk.length;
    if (this.#missing > 0) return;
    if (this.#onAnswer(performance.now() - this.#sentAt)) this.#send();
    else this.#socket.destroy();
  }
}

function lengthOf(head: string): number {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`no Content-Length: ${head}`);
  return Number(length);
}

async function send({ port, connections, path, headers, body, requests }: Load): Promise<LoadOutcome> {
  const lines = Object.entries({
    host: `127.0.0.1:${port}`,
    ...headers,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  const latencies = new Float64Array(requests);
  let answered = 0;
  const onAnswer = (took: number) => {
    latencies[answered] = took;
    answered += 1;
    return answered + connections <= requests;
  };
  const began = performance.now();
  const senders = Array.from({ length: Math.min(connections, requests) }, () => new Sender(port, request, onAnswer));
  await Promise.all(senders.map(({ done }) => done));
  return { seconds: (performance.now() - began) / 1000, latencies };
}

/** The process that sends the load: apart from what it measures, and from what that asks. */
process.on("message", (load: Load) => {
  send(load).then(
    (outcome) => process.send?.(outcome),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
