import { isAscii } from "node:buffer";

/** A content line without folds and line break (RFC 5545, section 3.1). */
export interface ContentLine {
  /** Number of the first physical line of the content line, from 1. */
  readonly number: number;
  /** Undefined if the bytes of the line are not UTF-8. */
  readonly text: string | undefined;
  /** Whether the end of a very long line was dropped. */
  readonly isCut: boolean;
}

/** Number of bytes of a line that are kept: more than any property that is imported may have. */
const MAX_LINE_BYTES = 24_576;

const [LF, CR, SPACE, TAB] = [0x0a, 0x0d, 0x20, 0x09];

/**
 * Reads content lines from pieces of a body. Lines are unfolded as bytes, because a program may fold within a character.
 * The reader holds one line, of which it keeps `MAX_LINE_BYTES`, however often the line is folded.
 */
export class LineReader {
  readonly #line = Buffer.allocUnsafe(MAX_LINE_BYTES);
  #length = 0;
  #isCut = false;
  /** Number of the first physical line of the current content line; 0 before the first one. */
  #number = 0;
  #physicalLine = 1;
  #isAtStart = true;
  #endsWithCr = false;

  /** The content lines that are complete with this piece: the next line has begun, and is no continuation. */
  *read(piece: Buffer): Generator<ContentLine> {
    for (let from = 0; from < piece.length;) {
      if (this.#isAtStart) {
        const first = piece[from];
        const isFolded = this.#number > 0 && (first === SPACE || first === TAB);
        if (!isFolded) {
          const line = this.#take();
          this.#number = this.#physicalLine;
          if (line !== undefined) yield line;
        }
        this.#isAtStart = false;
        if (isFolded) {
          from += 1;
          continue;
        }
      }
      const end = piece.indexOf(LF, from);
      this.#append(piece.subarray(from, end < 0 ? piece.length : end));
      if (end < 0) return;
      this.#endLine();
      from = end + 1;
    }
  }

  /** The last line, when the body has ended. */
  end(): ContentLine | undefined {
    this.#endsWithCr = false;
    return this.#take();
  }

  #append(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.#endsWithCr) this.#copy(CR_BYTE);
    this.#endsWithCr = bytes.at(-1) === CR;
    this.#copy(this.#endsWithCr ? bytes.subarray(0, -1) : bytes);
  }

  #copy(bytes: Buffer): void {
    const copied = bytes.copy(this.#line, this.#length);
    this.#length += copied;
    if (copied < bytes.length) this.#isCut = true;
  }

  #endLine(): void {
    this.#endsWithCr = false;
    this.#isAtStart = true;
    this.#physicalLine += 1;
  }

  #take(): ContentLine | undefined {
    if (this.#length === 0) return undefined;
    const line = {
      number: this.#number,
      text: decode(this.#line.subarray(0, this.#length), this.#isCut),
      isCut: this.#isCut,
    };
    this.#length = 0;
    this.#isCut = false;
    return line;
  }
}

const CR_BYTE = Buffer.from([CR]);

/** A cut line may end within a character, which is dropped. */
function decode(bytes: Buffer, isCut: boolean): string | undefined {
  if (isAscii(bytes)) return bytes.toString("latin1");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut });
  } catch {
    return undefined;
  }
}
