/**
 * A message that is too large for the bus travels in parts. Each begins with a byte that no packet begins with, the
 * message's id, its own number and how many there are.
 */
const PART_MARKER = 0;
const ID_BYTES = 16;
const HEADER_BYTES = 1 + ID_BYTES + 8;

/** The parts of a message, `partBytes` of it in each. */
export function splitMessage(message: Buffer, id: Buffer, partBytes: number): Buffer[] {
  const count = Math.ceil(message.length / partBytes);
  return Array.from({ length: count }, (_, at) => {
    const header = Buffer.alloc(HEADER_BYTES, PART_MARKER);
    id.copy(header, 1, 0, ID_BYTES);
    header.writeUInt32BE(at, 1 + ID_BYTES);
    header.writeUInt32BE(count, 5 + ID_BYTES);
    return Buffer.concat([header, message.subarray(at * partBytes, (at + 1) * partBytes)]);
  });
}

export function isMessagePart(data: Buffer): boolean {
  return data.length >= HEADER_BYTES && data[0] === PART_MARKER;
}

interface Unfinished {
  readonly parts: Buffer[];
  readonly since: number;
  bytes: number;
}

/**
 * Puts parts together again. The bus delivers in order or not at all, so what is incomplete after `maxAgeMs` is
 * lost, and forgotten when the next message begins. A message of more than `maxBytes` is forgotten, and the oldest one
 * when all together have twice as much.
 */
export class MessageJoiner {
  readonly #unfinished = new Map<string, Unfinished>();
  readonly #mostAgeMs: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxAgeMs: number, maxBytes: number) {
    this.#mostAgeMs = maxAgeMs;
    this.#maxBytes = maxBytes;
  }

  /** How many messages have begun and not ended. */
  get unfinished(): number {
    return this.#unfinished.size;
  }

  /** The whole message when this is its last part; undefined before. */
  add(part: Buffer, now: number): Buffer | undefined {
    const id = part.toString("latin1", 1, 1 + ID_BYTES);
    const at = part.readUInt32BE(1 + ID_BYTES);
    if (at === 0) this.#begin(id, now);
    const message = this.#unfinished.get(id);
    // A part was lost: the rest of the message is of no use.
    if (message?.parts.length !== at) return undefined;
    const bytes = part.subarray(HEADER_BYTES);
    message.parts.push(bytes);
    message.bytes += bytes.length;
    this.#bytes += bytes.length;
    // A part without bytes would be kept without a bound.
    if (message.bytes > this.#maxBytes || bytes.length === 0) {
      this.#forget(id);
      return undefined;
    }
    for (const [oldest] of this.#unfinished) {
      if (this.#bytes <= 2 * this.#maxBytes) break;
      this.#forget(oldest);
    }
    if (message.parts.length < part.readUInt32BE(5 + ID_BYTES)) return undefined;
    this.#forget(id);
    return Buffer.concat(message.parts);
  }

  #begin(id: string, now: number): void {
    for (const [other, { since }] of this.#unfinished) if (now - since > this.#mostAgeMs) this.#forget(other);
    this.#forget(id);
    this.#unfinished.set(id, { parts: [], since: now, bytes: 0 });
  }

  #forget(id: string): void {
    this.#bytes -= this.#unfinished.get(id)?.bytes ?? 0;
    this.#unfinished.delete(id);
  }
}
