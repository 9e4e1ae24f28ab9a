import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../../../test/harness/test-gateway.ts";
import { until } from "../../../test/harness/until.ts";
import { createKey, listKeys } from "../../contracts/api-keys.contract.ts";
import type { Caller } from "../../contracts/contract.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { guildSettingsService } from "../../guild-settings/guild-settings.service.ts";
import { OWNERS } from "../../contracts/service-names.ts";

const GUILD = "375357265198317579";
const READ = "/v2/guild/settings/get";
const WRITE = "/v2/guild/settings/update";
const others = OWNERS.filter((name) => name !== "guild-settings");

describe("the endpoints for API keys", () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      ...others.map((name) => standIn(name)),
    ]);
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  async function made(params: object = {}): Promise<{ id: string; key: string }> {
    const { body } = await gateway.post("/admin/keys/create", {
      kind: "guild",
      access: "write",
      guilds: [GUILD],
      label: "bot",
      ...params,
    });
    return { id: String(body["id"]), key: String(body["key"]) };
  }

  const statusOf = async (key: string, path = READ, body: object = { guild_id: GUILD }) =>
    (await gateway.post(path, body, { authorization: key })).status;

  test("a created key has the access that was requested, until it is revoked", async () => {
    const { id, key } = await made();
    expect([await statusOf(key), await statusOf(key, WRITE)]).toEqual([200, 200]);
    expect(await statusOf(key, READ, { guild_id: "1" })).toBe(403);
    await expect(gateway.post("/admin/keys/revoke", { id })).resolves.toMatchObject({
      text: '{"message":"Key revoked"}',
    });
    await until(async () => (await statusOf(key)) === 401, "the key opens nothing", 5_000);
    await expect(gateway.post("/admin/keys/revoke", { id })).resolves.toMatchObject({ status: 200 });
  });

  test("a rotated key is valid with both secrets, and only with the new one after an overlap of 0", async () => {
    const { id, key } = await made();
    const { body } = await gateway.post("/admin/keys/rotate", { id });
    expect(body).toMatchObject({ message: "Key rotated", id, previous_until: expect.any(Number) });
    expect([await statusOf(key), await statusOf(String(body["key"]))]).toEqual([200, 200]);
    const again = await gateway.post("/admin/keys/rotate", { id });
    expect(again).toMatchObject({ status: 409, body: { code: "KEY_ROTATING" } });
    const last = await gateway.post("/admin/keys/rotate", { id, overlap_hours: 0 });
    await until(async () => (await statusOf(String(body["key"]))) === 401, "the secret before is over", 5_000);
    expect([await statusOf(key), await statusOf(String(last.body["key"]))]).toEqual([401, 200]);
  });

  test("a read-only operator key lists keys and creates none", async () => {
    const { key } = await made({ kind: "operator", access: "read", guilds: undefined });
    const listed = await gateway.post("/admin/keys/list", {}, { authorization: key });
    expect(listed.body["keys"]).toContainEqual(expect.objectContaining({ kind: "operator", access: "read" }));
    expect(listed.text).not.toMatch(/digest|secret|pepper|gc_/);
    await expect(
      gateway.post("/admin/keys/create", { kind: "service", access: "read", label: "x" }, { authorization: key }),
    ).resolves.toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
  });

  test.each([
    ["a guild's key without a guild", { guilds: [] }, "guilds"],
    ["a service's key with one", { kind: "service" }, "guilds"],
    ["an end in the past", { expires: 1 }, "expires"],
    ["a guild that is none", { guilds: ["01"] }, "guilds[0]"],
    ["a label of two lines", { label: "a\nb" }, "label"],
  ])("%s is refused with 400 and the name of the field", async (_name, more, field) => {
    const body = { kind: "guild", access: "write", guilds: [GUILD], label: "bot", ...more };
    await expect(gateway.post("/admin/keys/create", body)).resolves.toMatchObject({
      status: 400,
      body: { errors: [{ field }] },
    });
  });

  test("operators can list who created and who revoked a key, page by page, without secrets", async () => {
    const { id } = await made();
    await gateway.post("/admin/keys/revoke", { id });
    const first = await gateway.post("/admin/keys/audit", { id, amount: 1 });
    expect(first).toMatchObject({ status: 200, body: { changes: [{ change: "revoked", key_id: id, label: "bot" }] } });
    const second = await gateway.post("/admin/keys/audit", { id, amount: 1, before: first.body["next"] });
    expect(second.body).toMatchObject({ changes: [{ change: "created", key_id: id, guilds: [GUILD] }] });
    expect(second.body).not.toHaveProperty("next");
    expect(first.text + second.text).not.toMatch(/digest|secret|pepper|gc_/);
    const bot = await made({ kind: "service", guilds: undefined });
    await expect(gateway.post("/admin/keys/audit", {}, { authorization: bot.key })).resolves.toMatchObject({
      status: 403,
    });
  });

  test.each([{ amount: 0 }, { amount: 101 }, { before: "1" }])(
    "an invalid page is refused with 400: %p",
    async (page) => {
      await expect(gateway.post("/admin/keys/audit", page)).resolves.toMatchObject({
        status: 400,
        body: { errors: [{ field: Object.keys(page)[0] }] },
      });
    },
  );

  test("rotation and revocation of an unknown key are refused with 404", async () => {
    for (const path of ["/admin/keys/rotate", "/admin/keys/revoke"]) {
      await expect(gateway.post(path, { id: "nobody" })).resolves.toMatchObject({
        status: 404,
        body: { code: "KEY_NOT_FOUND" },
      });
    }
  });

  test("the actions accept internal calls and operators on the bus, and refuse all other callers", async () => {
    const params = { kind: "guild", access: "read", guilds: [GUILD as GuildId], label: "by bus" } as const;
    const { id } = await gateway.call(createKey, params);
    const caller: Caller = { keyId: "k", kind: "service", access: "write", guilds: [] };
    await expect(gateway.call(createKey, params, { caller })).rejects.toMatchObject({ type: "FORBIDDEN" });
    await expect(gateway.call(listKeys, {}, { caller: { ...caller, kind: "operator" } })).resolves.toMatchObject({
      keys: expect.arrayContaining([expect.objectContaining({ id, label: "by bus" })]),
    });
  });
});
