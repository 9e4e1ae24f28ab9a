/**
 * A message that is too large for the bus travels in parts. Each begins with a byte that no packet begins with, the
 * message's id, its own number and how many there are.
 */
const MARK = 0;
const ID_BYTES = 16;
const HEADER_BYTES = 1 + ID_BYTES + 8;

/** The parts of a message, `partBytes` of it in each. */
export function splitMessage(message: Buffer, id: Buffer, partBytes: number): Buffer[] {
  const count = Math.ceil(message.length / partBytes);
  return Array.from({ length: count }, (_, at) => {
    const header = Buffer.alloc(HEADER_BYTES, MARK);
    id.copy(header, 1, 0, ID_BYTES);
    header.writeUInt32BE(at, 1 + ID_BYTES);
    header.writeUInt32BE(count, 5 + ID_BYTES);
    return Buffer.concat([header, message.subarray(at * partBytes, (at + 1) * partBytes)]);
  });
}

export function isMessagePart(data: Buffer): boolean {
  return data.length >= HEADER_BYTES && data[0] === MARK;
}

interface Unfinished {
  readonly parts: Buffer[];
  readonly since: number;
}

/**
 * Puts parts together again. The bus delivers in order or not at all, so what is incomplete after `mostAgeMs` is
 * lost, and forgotten when the next message begins.
 */
export class MessageJoiner {
  readonly #unfinished = new Map<string, Unfinished>();
  readonly #mostAgeMs: number;

  constructor(mostAgeMs: number) {
    this.#mostAgeMs = mostAgeMs;
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
    const parts = this.#unfinished.get(id)?.parts;
    // A part was lost: the rest of the message is of no use.
    if (parts?.length !== at) return undefined;
    parts.push(part.subarray(HEADER_BYTES));
    if (parts.length < part.readUInt32BE(5 + ID_BYTES)) return undefined;
    this.#unfinished.delete(id);
    return Buffer.concat(parts);
  }

  #begin(id: string, now: number): void {
    for (const [other, { since }] of this.#unfinished)
      if (now - since > this.#mostAgeMs) this.#unfinished.delete(other);
    this.#unfinished.set(id, { parts: [], since: now });
  }
}
