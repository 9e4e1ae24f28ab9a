import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { ChangeStreamReader } from "../../../test/harness/change-stream.ts";
import { changingGuild } from "../../../test/harness/changing-guild.ts";
import { everyOwner } from "../../../test/harness/every-owner.ts";
import { startTestGateway, type TestGateway, untilReady } from "../../../test/harness/test-gateway.ts";
import { until } from "../../../test/harness/until.ts";

const KEY = "operator-key-of-the-tests";

describe("the stream of the changes of a guild (D48)", () => {
  let gateway: TestGateway;
  const streams: ChangeStreamReader[] = [];

  beforeAll(async () => {
    gateway = await startTestGateway(everyOwner, { apiKey: KEY, streamLimits: { pollMs: 1_000 } });
    await untilReady(gateway);
  });
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.end();
  });
  afterAll(() => gateway.stop());

  async function openStream(query: string, headers: Record<string, string> = {}, { baseUrl } = gateway) {
    const stream = await ChangeStreamReader.open(baseUrl, query, { authorization: KEY, ...headers });
    streams.push(stream);
    return stream;
  }

  test("needs a key of the guild, the method GET, and a guild", async () => {
    const path = "/v2/changes/stream?guild_id=1";
    const headers = { authorization: KEY };
    expect((await gateway.request(path)).status).toBe(401);
    expect((await gateway.request(path, { headers: { authorization: "wrong" } })).status).toBe(401);
    const posted = await gateway.request(path, { method: "POST", headers, body: "{}" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await gateway.request("/v2/changes/stream", { headers })).status).toBe(400);
    expect((await gateway.request(`/api${path}`, { method: "HEAD", headers })).status).toBe(200);
    const key = { label: "reader", kind: "guild", access: "read", guilds: ["2"] };
    const created = await gateway.post("/admin/keys/create", key);
    const foreign = { authorization: String(created.body["key"]) };
    const refused = await gateway.request(path, { headers: foreign });
    expect([refused.status, refused.body["code"]]).toEqual([403, "FORBIDDEN"]);
    expect((await gateway.post("/v2/changes", { guild_id: "1" }, foreign)).status).toBe(403);
  });

  test("sends everything, then each change within a second, and heartbeats with the token", async () => {
    const guild = changingGuild(gateway);
    const id = await guild.event();
    const stream = await openStream(`guild_id=${guild.guild_id}`);
    await until(() => stream.changes.length === 1, "the event");
    const delays: number[] = [];
    for (let n = 0; n < 10; n += 1) {
      await guild.rename(id, `name ${n}`);
      const writtenAt = performance.now();
      await until(() => stream.changes.length === n + 2, "the change", 15_000, 2);
      delays.push(performance.now() - writtenAt);
    }
    expect(stream.changes.map(({ revision }) => revision)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(delays.toSorted((one, other) => one - other)[5]).toBeLessThan(1_000);
    await until(() => stream.text.includes(": heartbeat\nid: "), "a heartbeat");
    expect(stream.text).toMatch(/^retry: \d+\n\n/);
  });

  test("goes on after Last-Event-ID, and its token is that of the list", async () => {
    const guild = changingGuild(gateway);
    const id = await guild.event();
    const first = await openStream(`guild_id=${guild.guild_id}`);
    await until(() => first.changes.length === 1, "the event");
    first.end();
    await until(() => first.isOver, "the end of the stream");
    await guild.rename(id, "Moved");
    const listed = await guild.changes(first.lastId);
    expect(listed.changes).toMatchObject([{ id, revision: 2 }]);
    const second = await openStream(`guild_id=${guild.guild_id}`, { "last-event-id": first.lastId });
    await until(() => second.changes.length > 0, "the change");
    expect(second.changes).toEqual(listed.changes);
    const third = await openStream(`guild_id=${guild.guild_id}&sync_token=${listed.sync_token}`);
    await until(() => third.text.includes("heartbeat"), "a heartbeat");
    expect(third.changes).toEqual([]);
  });

  test("ends, without another change, when its key is revoked", async () => {
    const guild = changingGuild(gateway);
    const id = await guild.event();
    const key = { label: "reader", kind: "guild", access: "read", guilds: [guild.guild_id] };
    const { body } = await gateway.post("/admin/keys/create", key);
    const stream = await openStream(`guild_id=${guild.guild_id}`, { authorization: String(body["key"]) });
    await until(() => stream.changes.length === 1, "the event");
    expect((await gateway.post("/admin/keys/revoke", { id: body["id"] })).status).toBe(200);
    await guild.rename(id, "Secret");
    await until(() => stream.isOver, "the end of the stream");
    expect(stream.changes).toHaveLength(1);
  });

  test("goes on at another gateway, also with changes whose broadcasts it does not receive, and ends with its gateway", async () => {
    const guild = changingGuild(gateway);
    const id = await guild.event();
    const { sync_token } = await guild.changes();
    // It has a bus of its own, with owners on the same database.
    const options = { apiKey: KEY, streamLimits: { pollMs: 500 } };
    const other = await startTestGateway(() => everyOwner(gateway.mongoUrl), options);
    try {
      await untilReady(other);
      const stream = await openStream(`guild_id=${guild.guild_id}`, { "last-event-id": sync_token }, other);
      await until(() => stream.text.includes("heartbeat"), "a heartbeat");
      await guild.rename(id, "Moved");
      await until(() => stream.changes.length === 1, "the change");
      const { body } = await other.post("/v2/changes", { guild_id: guild.guild_id, sync_token });
      expect(body["changes"]).toEqual(stream.changes);
      expect(stream.changes).toMatchObject([{ id, revision: 2 }]);
      expect(stream.isOver).toBe(false);
    } finally {
      await other.stop();
    }
    await until(() => streams.at(-1)?.isOver === true, "the end of the stream");
  });
});
