import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type ChatServer, startChatServer } from "./chat-server.ts";

const HEADERS = {
  authorization: "Bot test-token",
  "user-agent": "DiscordBot (https://example.com, 1.0)",
  "content-type": "application/json",
};

function embed(fields: object) {
  return { embeds: [fields] };
}

function long(length: number): string {
  return "x".repeat(length);
}

describe("the chat server", () => {
  let server: ChatServer;
  beforeAll(async () => {
    server = await startChatServer({ limits: { perBucket: 1_000, overall: 1_000 } });
  });
  afterAll(() => server.stop());

  async function post(body: unknown, headers: Record<string, string> = HEADERS) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(`${server.url}/channels/1/messages`, { method: "POST", headers, body: text });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  test.each([
    ["content of 2001 characters", { content: long(2_001) }, "content"],
    ["a title of 257", embed({ title: long(257) }), "embeds.0.title"],
    ["a description of 4097", embed({ description: long(4_097) }), "embeds.0.description"],
    ["a footer of 2049", embed({ footer: { text: long(2_049) } }), "embeds.0.footer.text"],
    ["an author of 257", embed({ author: { name: long(257) } }), "embeds.0.author.name"],
    ["a field's name of white space", embed({ fields: [{ name: " ", value: "v" }] }), "embeds.0.fields.0.name"],
    ["a field's value of 1025", embed({ fields: [{ name: "n", value: long(1_025) }] }), "embeds.0.fields.0.value"],
    ["26 fields", embed({ fields: Array.from({ length: 26 }, () => ({ name: "n", value: "v" })) }), "embeds.0.fields"],
    ["6001 in all", { embeds: [{ description: long(4_000) }, { description: long(2_001) }] }, "embeds"],
    ["a color beyond 24 bits", embed({ title: "t", color: 0x1000000 }), "embeds.0.color"],
    ["an image without a host", embed({ image: { url: "http://localhost/x.png" } }), "embeds.0.image.url"],
    ["a nonce of 26", { content: "c", nonce: long(26) }, "nonce"],
    [
      "101 ids",
      { content: "c", allowed_mentions: { users: Array.from({ length: 101 }, String) } },
      "allowed_mentions.users",
    ],
    ["no snowflake", { content: "c", allowed_mentions: { roles: ["x"] } }, "allowed_mentions.roles.0"],
    [
      "a kind both parsed and listed",
      { content: "c", allowed_mentions: { parse: ["users"], users: ["1"] } },
      "allowed_mentions",
    ],
    ["an unknown kind", { content: "c", allowed_mentions: { parse: ["here"] } }, "allowed_mentions.parse.0"],
  ])("refuses %s, and names its path", async (_what, body, path) => {
    const refused = await post(body);
    expect(refused).toMatchObject({ status: 400, body: { code: 50035 } });
    expect(refused.body["errors"]).toHaveProperty(`${path}._errors.0.code`);
  });

  test.each([
    ["an empty message", { content: " " }, HEADERS, 400, 50006],
    ["no JSON", "}{", HEADERS, 400, 50109],
    ["another content type", { content: "c" }, { ...HEADERS, "content-type": "text/plain" }, 400, 50035],
    ["a missing token", { content: "c" }, { ...HEADERS, authorization: "" }, 401, 0],
    ["another user agent", { content: "c" }, { ...HEADERS, "user-agent": "curl" }, 403, 40333],
  ])("refuses %s", async (_what, body, headers, status, code) => {
    expect(await post(body, headers)).toMatchObject({ status, body: { code } });
  });

  test("posts no refused message", () => {
    expect(server.messages()).toEqual([]);
  });

  test("without allowed mentions every mention in the text notifies, and with them only the named ones", async () => {
    const content = "@everyone <@1> <@!2> <@&3>";
    await post({ content });
    await post({ content, allowed_mentions: { parse: [], users: ["1", "9"] } });
    expect(server.messages().map(({ pings }) => pings)).toEqual([
      { everyone: true, users: ["1", "2"], roles: ["3"] },
      { everyone: false, users: ["1"], roles: [] },
    ]);
  });

  test("a nonce has an effect only with enforce_nonce", async () => {
    const before = server.messages().length;
    await post({ content: "c", nonce: "n" });
    await post({ content: "c", nonce: "n" });
    await post({ content: "c", nonce: "n", enforce_nonce: true });
    expect(server.messages()).toHaveLength(before + 2);
  });
});

describe("scripted faults of the chat server", () => {
  let server: ChatServer;
  beforeAll(async () => {
    server = await startChatServer();
  });
  afterAll(() => server.stop());

  const post = (nonce: string) =>
    fetch(`${server.url}/channels/1/messages`, {
      method: "POST",
      headers: HEADERS,
      body: JSON.stringify({ content: nonce, nonce, enforce_nonce: true }),
    });

  test("occur one after the other, and end", async () => {
    server.script({ kind: "response", response: { status: 500, body: {} } }, 2);
    server.script({ kind: "slow", ms: 1 });
    const responses = [await post("a"), await post("a"), await post("a"), await post("b")];
    expect(responses.map(({ status }) => status)).toEqual([500, 500, 200, 200]);
    expect(server.messages("1")).toHaveLength(2);
  });

  test("are removed by calm()", async () => {
    server.script({ kind: "silence", accepted: false }, 100);
    server.calm();
    expect((await post("c")).status).toBe(200);
  });

  test("a late message and its repetition in the meantime are one message", async () => {
    server.script({ kind: "late", ms: 50 });
    const [late, repeat] = await Promise.all([post("d"), post("d")]);
    await expect(late.json()).resolves.toMatchObject({ id: ((await repeat.json()) as { id: string }).id });
  });
});

describe("a chat server with low limits", () => {
  let server: ChatServer;
  beforeAll(async () => {
    const limits = { perBucket: 2, perMs: 60_000, overall: 5, overallMs: 60_000, invalidRequests: 2 };
    server = await startChatServer({ limits, nonceWindowMs: 0 });
  });
  afterAll(() => server.stop());

  const post = (channel: string) =>
    fetch(`${server.url}/channels/${channel}/messages`, {
      method: "POST",
      headers: HEADERS,
      body: JSON.stringify({ content: "c", nonce: "n", enforce_nonce: true }),
    });

  test("sends its limits, enforces that of a channel and the global one, and bans a client that continues", async () => {
    const responses = [];
    for (const channel of ["1", "1", "1", "2", "3", "4", "5"]) responses.push(await post(channel));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 429, 200, 200, 429, 429]);
    expect(responses[0]?.headers.get("x-ratelimit-remaining")).toBe("1");
    expect(responses[2]?.headers.get("x-ratelimit-scope")).toBe("user");
    await expect(responses[2]?.json()).resolves.toMatchObject({ global: false, retry_after: expect.any(Number) });
    await expect(responses[5]?.json()).resolves.toMatchObject({ global: true });
    expect(responses[6]?.headers.get("content-type")).toBe("text/html");
  });

  test("forgets a nonce after its window", () => {
    expect(server.messages()).toHaveLength(4);
  });
});
