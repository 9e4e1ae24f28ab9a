import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { type Api, RequestError } from "./api.js";
import { followChanges } from "./follow-changes.js";

const block = (id: string, kinds: readonly string[], more = false) =>
  `event: changes\nid: ${id}\ndata: ${JSON.stringify({ changes: kinds.map((kind) => ({ kind })), more })}\n\n`;

/** A connection: the texts that it sends before it ends, or its refusal. `open` never ends. */
type Connection = readonly string[] | RequestError | { readonly open: readonly string[] };

/** Follows a stream with these connections; the last one is repeated. */
function follow(connections: readonly Connection[]) {
  const seen: string[] = [];
  const tokens: (string | undefined)[] = [];
  const end = new AbortController();
  const api = {
    openStream: (token: string | undefined) => {
      const next = connections[Math.min(tokens.length, connections.length - 1)]!;
      tokens.push(token);
      if (next instanceof RequestError) return Promise.reject(next);
      const texts = "open" in next ? next.open : next;
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const text of texts) controller.enqueue(new TextEncoder().encode(text));
          if (!("open" in next)) controller.close();
        },
      });
      return Promise.resolve(body);
    },
  } as unknown as Api;
  const follower = {
    onChange: () => void seen.push("change"),
    onConnection: (state: string) => void (seen.at(-1) === state || seen.push(state)),
    onRefused: ({ status }: RequestError) => void seen.push(`refused ${status}`),
  };
  void followChanges(api, follower, end.signal);
  return { seen, tokens, end: () => end.abort() };
}

describe("the console that follows the changes of a guild", () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  test("reads once when the stream has sent what the guild has, and after each later change", async () => {
    const first = block("t1", ["event", "event"], true) + block("t2", ["post"]);
    const { seen, end } = follow([{ open: [first, block("t3", ["event"]), block("t4", ["webhook"])] }]);
    await pass(10);
    expect(seen.filter((each) => each === "change")).toHaveLength(2);
    end();
  });

  test("goes on after the last token, and reads everything again after a lost connection", async () => {
    const { seen, tokens, end } = follow([[block("t1", [])], { open: [] }]);
    await pass(2_000);
    expect(tokens).toEqual([undefined, "t1"]);
    expect(seen).toEqual(["live", "change", "lost", "live", "change"]);
    end();
  });

  test("begins without a token when the token is too old", async () => {
    const expired = new RequestError(410, { code: "SYNC_TOKEN_EXPIRED" });
    const { tokens, end } = follow([[block("t1", [])], expired, { open: [] }]);
    await pass(5_000);
    expect(tokens).toEqual([undefined, "t1", undefined]);
    end();
  });

  test("polls while the service refuses a stream", async () => {
    const { seen, end } = follow([new RequestError(429, { code: "TOO_MANY_REQUESTS" })]);
    await pass(2_000);
    expect(seen).toContain("polling");
    const before = seen.length;
    await pass(31_000);
    expect(seen.slice(before).filter((each) => each === "change").length).toBeGreaterThan(1);
    end();
  });

  test.each([401, 403])("ends when the key is refused (%d)", async (status) => {
    const { seen, tokens } = follow([new RequestError(status, {})]);
    await pass(60_000);
    expect([seen, tokens.length]).toEqual([[`refused ${status}`], 1]);
  });

  test("waits longer after each failed attempt, at most ten seconds", async () => {
    const { tokens, end } = follow([new RequestError(0, {})]);
    await pass(60_000);
    expect(tokens.length).toBeGreaterThan(6);
    expect(tokens.length).toBeLessThan(12);
    end();
  });
});
