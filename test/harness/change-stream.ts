import type { Change } from "./changing-guild.ts";

/** Reads a stream of changes, and has what was received until now. */
export class ChangeStreamReader {
  readonly changes: Change[] = [];
  text = "";
  lastId = "";
  isOver = false;
  readonly #ended = new AbortController();

  /** Opens a stream, and reads it until its end. Rejects if the response is not a stream. */
  static async open(baseUrl: string, query: string, headers: Record<string, string>): Promise<ChangeStreamReader> {
    const reader = new ChangeStreamReader();
    const { signal } = reader.#ended;
    const response = await fetch(`${baseUrl}/v2/changes/stream?${query}`, { headers, signal });
    const type = response.headers.get("content-type");
    if (response.status !== 200 || type !== "text/event-stream" || response.body === null) {
      throw new Error(`no stream: ${response.status} ${type}`);
    }
    void reader.#read(response.body);
    return reader;
  }

  end(): void {
    this.#ended.abort();
  }

  async #read(body: AsyncIterable<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for await (const chunk of body) {
        rest += decoder.decode(chunk, { stream: true });
        const blocks = rest.split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) this.#readBlock(block);
      }
    } catch {
      // The reader or the gateway has closed the connection.
    }
    this.isOver = true;
  }

  #readBlock(block: string): void {
    this.text += `${block}\n\n`;
    const value = (name: string) =>
      block
        .split("\n")
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2);
    this.lastId = value("id") ?? this.lastId;
    const data = value("data");
    if (data !== undefined) this.changes.push(...(JSON.parse(data) as { readonly changes: Change[] }).changes);
  }
}
