/**
 * A message that is too large for the bus is sent in parts. A part begins with the byte 0, with which no packet begins (a
 * packet is a CBOR map). Then follow the id of the message, the index of the part and the number of all parts.
 */
const PART_MARKER = 0;
const ID_BYTES = 16;
const HEADER_BYTES = 1 + ID_BYTES + 8;

/** Splits a message into parts with `partBytes` of it each; the last part may have less. */
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
 * Joins the parts of messages. The bus delivers messages in order or not at all. A message that is incomplete after
 * `maxAgeMs` has lost a part; it is dropped when the next message begins. A message of more than `maxBytes` is
 * dropped. When all unfinished messages hold more than twice `maxBytes`, the oldest ones are dropped.
 */
export class MessageJoiner {
  readonly #unfinished = new Map<string, Unfinished>();
  readonly #maxAgeMs: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxAgeMs: number, maxBytes: number) {
    this.#maxAgeMs = maxAgeMs;
    this.#maxBytes = maxBytes;
  }

  /** Number of messages that have begun and are not complete. */
  get unfinished(): number {
    return this.#unfinished.size;
  }

  /** Returns the whole message if this is its last part; undefined before. */
  add(part: Buffer, now: number): Buffer | undefined {
    const id = part.toString("latin1", 1, 1 + ID_BYTES);
    const at = part.readUInt32BE(1 + ID_BYTES);
    if (at === 0) this.#begin(id, now);
    const message = this.#unfinished.get(id);
    // A part was lost, so the message cannot be completed.
    if (message?.parts.length !== at) return undefined;
    const bytes = part.subarray(HEADER_BYTES);
    message.parts.push(bytes);
    message.bytes += bytes.length;
    this.#bytes += bytes.length;
    // Parts without bytes would never reach the limit of bytes.
    if (message.bytes > this.#maxBytes || bytes.length === 0) {
      this.#drop(id);
      return undefined;
    }
    for (const [oldest] of this.#unfinished) {
      if (this.#bytes <= 2 * this.#maxBytes) break;
      this.#drop(oldest);
    }
    if (message.parts.length < part.readUInt32BE(5 + ID_BYTES)) return undefined;
    this.#drop(id);
    return Buffer.concat(message.parts);
  }

  #begin(id: string, now: number): void {
    for (const [other, { since }] of this.#unfinished) if (now - since > this.#maxAgeMs) this.#drop(other);
    this.#drop(id);
    this.#unfinished.set(id, { parts: [], since: now, bytes: 0 });
  }

  #drop(id: string): void {
    this.#bytes -= this.#unfinished.get(id)?.bytes ?? 0;
    this.#unfinished.delete(id);
  }
}
