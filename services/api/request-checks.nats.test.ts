import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import mongoose from "mongoose";
import {
  KEY_HASHING,
  standIn,
  startTestGateway,
  type TestGateway,
  untilReady,
} from "../../test/harness/test-gateway.ts";
import { getGuildSettings } from "../contracts/guild-settings.contract.ts";
import type { GuildId } from "../contracts/ids.ts";
import { guildSettingsService } from "../guild-settings/guild-settings.service.ts";
import type { ApiKey } from "./domain/api-key.ts";
import { apiKeysStore } from "./keys/api-keys.store.ts";
import { generateKey } from "./keys/key-digests.ts";
import { encodeKey } from "./keys/key-text.ts";

const GUILD = "375357265198317579" as GuildId;
const OTHER = "375357265198317580" as GuildId;

const READ = "/v2/guild/settings/get";
const WRITE = "/v2/guild/settings/update";

const IDS = ["guild", "reader", "revoked", "expired", "service"] as const;
const sealed = Object.fromEntries(IDS.map((id) => [id, generateKey(KEY_HASHING, id)])) as Record<
  (typeof IDS)[number],
  ReturnType<typeof generateKey>
>;
const keys = {
  guild: sealed.guild.key,
  reader: sealed.reader.key,
  revoked: sealed.revoked.key,
  expired: sealed.expired.key,
  service: sealed.service.key,
};

const withKey = (key: string) => ({ authorization: key });

function storedKey(id: (typeof IDS)[number], more: Partial<ApiKey>): ApiKey {
  const at = { createdAt: 0, revision: 1, label: id };
  return { id, ...at, kind: "guild", access: "write", guilds: [GUILD], secrets: [sealed[id].secret], ...more };
}

async function storeKeys(mongoUrl: string): Promise<void> {
  const connection = await mongoose.createConnection(mongoUrl).asPromise();
  const store = apiKeysStore(connection);
  const more: Record<(typeof IDS)[number], Partial<ApiKey>> = {
    guild: {},
    reader: { access: "read" },
    revoked: { revokedAt: Date.now() },
    expired: { expiresAt: Date.now() - 1 },
    service: { kind: "service", guilds: [] },
  };
  for (const id of IDS) {
    await store.insert(storedKey(id, more[id]), { keyId: id, change: "created", by: "test", at: 0 });
  }
  await connection.close();
}

describe("the checks of a request", () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    const others = (["calendar-events", "announcements", "dispatch", "webhooks"] as const).map((name) => standIn(name));
    gateway = await startTestGateway((mongoUrl) => [guildSettingsService({ mongoUrl }), ...others]);
    await storeKeys(gateway.mongoUrl);
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  const hugeBody = `{"guild_id":"${GUILD}","prefix":"${"x".repeat(70_000)}"}`;

  // Each request fails the check of its row and all later checks.
  test.each([
    ["an unknown path", "PUT", "/v2/guild/settings", "none", "text/plain", hugeBody, 404, "ROUTE_NOT_FOUND"],
    ["another method", "PUT", WRITE, "none", "text/plain", hugeBody, 405, "METHOD_NOT_ALLOWED"],
    ["no key", "POST", WRITE, "none", "text/plain", hugeBody, 401, "UNAUTHORIZED"],
    ["an unknown key", "POST", WRITE, "Bearer gc_x_y", "text/plain", hugeBody, 401, "UNAUTHORIZED"],
    ["a revoked key", "POST", WRITE, keys.revoked, "text/plain", hugeBody, 401, "UNAUTHORIZED"],
    ["an expired key", "POST", WRITE, keys.expired, "text/plain", hugeBody, 401, "UNAUTHORIZED"],
    ["another content type", "POST", WRITE, keys.reader, "text/plain", "x", 415, "UNSUPPORTED_MEDIA_TYPE"],
    ["a body too large", "POST", WRITE, keys.reader, "application/json", hugeBody, 413, "PAYLOAD_TOO_LARGE"],
    ["no JSON", "POST", WRITE, keys.reader, "application/json", "{", 400, "INVALID_JSON"],
    [
      "a bad field",
      "POST",
      WRITE,
      keys.reader,
      "application/json",
      '{"guild_id":"1","prefix":""}',
      400,
      "INVALID_REQUEST",
    ],
    ["a read-only key", "POST", WRITE, keys.reader, "application/json", `{"guild_id":"${GUILD}"}`, 403, "FORBIDDEN"],
    ["another guild", "POST", READ, keys.guild, "application/json", `{"guild_id":"${OTHER}"}`, 403, "FORBIDDEN"],
    [
      "an operator's field",
      "POST",
      WRITE,
      keys.guild,
      "application/json",
      `{"guild_id":"${GUILD}","branded":true}`,
      403,
      "OPERATOR_ONLY",
    ],
  ])("%s is refused before later checks (D3)", async (_name, method, path, key, type, body, status, code) => {
    const headers = { "content-type": type, ...(key === "none" ? {} : withKey(key)) };
    const response = await gateway.request(path, { method, headers, body });
    expect(response).toMatchObject({ status, body: { code, message: expect.any(String) } });
    expect(response.headers.get("x-request-id")).toBe(response.body["request_id"]);
    await expect(gateway.call(getGuildSettings, { guildId: GUILD })).resolves.toMatchObject({ revision: 0 });
  });

  test("405 has the allowed methods, 401 the way to authenticate (D1, D3)", async () => {
    const get = await gateway.request(READ);
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
    const post = await gateway.request("/health/live", { method: "POST" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    const stranger = await gateway.post(READ, { guild_id: GUILD }, withKey("nobody"));
    const challenge = 'Bearer realm="guildcal"';
    expect([stranger.status, stranger.headers.get("www-authenticate")]).toEqual([
      401,
      `${challenge}, error="invalid_token"`,
    ]);
    const keyless = await gateway.request(READ, { method: "POST" });
    expect([keyless.status, keyless.headers.get("www-authenticate")]).toEqual([401, challenge]);
    expect(keyless.body["message"]).toBe("The header Authorization is missing: send `Authorization: Bearer <key>`");
  });

  test("a revoked, an expired and an unknown key get the same response, which does not reveal whether a key exists", async () => {
    const unknown = encodeKey({ env: KEY_HASHING.env, id: "k1", secret: "0".repeat(64) });
    const responses = await Promise.all(
      [keys.revoked, keys.expired, unknown].map((key) => gateway.post(READ, { guild_id: GUILD }, withKey(key))),
    );
    const summaries = responses.map(({ status, headers, body }) => [
      status,
      headers.get("www-authenticate"),
      body["message"],
    ]);
    expect(summaries).toEqual(responses.map(() => summaries[2]));
    expect(summaries[2]?.[2]).toBe("The API key is unknown, revoked or expired");
  });

  test.each([["Bearer"], ["bearer"], ["BEARER"]])("a key is accepted alone and after %s (D3)", async (scheme) => {
    for (const authorization of [keys.guild, `${scheme} ${keys.guild}`]) {
      await expect(gateway.post(READ, { guild_id: GUILD }, { authorization })).resolves.toMatchObject({ status: 200 });
    }
  });

  test("a read-only key reads", async () => {
    await expect(gateway.post(READ, { guild_id: GUILD }, withKey(keys.reader))).resolves.toMatchObject({ status: 200 });
  });

  test("a service key may access every guild, and may not change operator fields (D11)", async () => {
    const asService = withKey(keys.service);
    await expect(gateway.post(WRITE, { guild_id: OTHER, prefix: "s" }, asService)).resolves.toMatchObject({
      status: 200,
    });
    await expect(gateway.post(WRITE, { guild_id: OTHER, branded: true }, asService)).resolves.toMatchObject({
      status: 403,
      body: { code: "OPERATOR_ONLY", errors: [{ field: "branded" }] },
    });
  });
});
