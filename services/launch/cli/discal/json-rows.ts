import { MalformedTable, MAX_ROW_LENGTH, type TableRow } from "./table-row.ts";

/**
 * The rows of a JSON text in chunks: an array of objects, or an object on each line. Holds one object at a time, whatever the
 * length of the array.
 */
export async function* jsonRows(chunks: AsyncIterable<string>): AsyncGenerator<TableRow> {
  const splitter = new ObjectSplitter();
  for await (const chunk of chunks) for (const { line, text } of splitter.read(chunk)) yield rowOf(line, text);
  splitter.end();
}

interface ObjectText {
  readonly line: number;
  readonly text: string;
}

/** Finds the objects of the first level. Between them only what separates them is accepted. */
class ObjectSplitter {
  #text = "";
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #line = 1;
  #beginsAt = 1;

  *read(chunk: string): Generator<ObjectText> {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const character = chunk.charAt(at);
      if (character === "\n") this.#line += 1;
      if (this.#depth === 0) {
        from = at;
        this.#betweenObjects(character);
      } else if (this.#endsObject(character)) {
        yield { line: this.#beginsAt, text: this.#text + chunk.slice(from, at + 1) };
        this.#text = "";
      }
    }
    if (this.#depth > 0) this.#text += chunk.slice(from);
    if (this.#text.length > MAX_ROW_LENGTH) {
      throw new MalformedTable(this.#beginsAt, `is longer than ${MAX_ROW_LENGTH} characters`);
    }
  }

  end(): void {
    if (this.#depth > 0) throw new MalformedTable(this.#beginsAt, "is not complete");
  }

  #betweenObjects(character: string): void {
    if (character === "{") {
      this.#depth = 1;
      this.#beginsAt = this.#line;
    } else if (!/[\s[\],\uFEFF]/.test(character)) {
      throw new MalformedTable(this.#line, "is no JSON object, and no array of them");
    }
  }

  #endsObject(character: string): boolean {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isInString) {
      if (character === "\\") this.#isEscaped = true;
      else if (character === '"') this.#isInString = false;
    } else if (character === '"') this.#isInString = true;
    else if (character === "{") this.#depth += 1;
    else if (character === "}") this.#depth -= 1;
    return this.#depth === 0;
  }
}

function rowOf(line: number, text: string): TableRow {
  try {
    // The source of a number has the digits of a 64-bit id, which a JavaScript number has not.
    const exact = (_key: string, value: unknown, context?: { readonly source?: string }) =>
      typeof value === "number" ? (context?.source ?? String(value)) : value;
    const object = JSON.parse(text, exact as Parameters<typeof JSON.parse>[1]) as Record<string, unknown>;
    return {
      line,
      fields: new Map(Object.entries(object).map(([name, value]) => [name.toLowerCase(), textOf(value)])),
    };
  } catch {
    throw new MalformedTable(line, "is malformed JSON");
  }
}

function textOf(value: unknown): string | null {
  if (value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
