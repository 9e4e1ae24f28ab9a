import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import moleculer from "moleculer";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../../test/harness/test-gateway.ts";
import { serve } from "../../mixins/actions/contract-action.ts";
import { getAnnouncement } from "../contracts/announcements.contract.ts";
import { getGuildSettings, LANGUAGES, updateGuildSettings } from "../contracts/guild-settings.contract.ts";
import type { GuildId } from "../contracts/ids.ts";
import { guildSettingsService } from "../guild-settings/guild-settings.service.ts";

const GUILD = "375357265198317579" as GuildId;
const SECRET = "mongodb://root:hunter2@db node-7";

const READ = "/v2/guild/settings/get";
const WRITE = "/v2/guild/settings/update";

describe("a request through the gateway", () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      standIn("calendar-events"),
      standIn("announcements", {
        ...serve(getAnnouncement, async () => {
          throw new Error(SECRET);
        }),
        // Not made by serve(): its error reaches the bus unchanged.
        async list() {
          throw new moleculer.Errors.MoleculerClientError(SECRET, 418, "TEAPOT", { secret: SECRET });
        },
      }),
      standIn("dispatch"),
      standIn("webhooks"),
    ]);
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  test("reaches an endpoint by every alias and under /api, and its query has no effect (D2)", async () => {
    for (const path of [
      "/v1/guild/settings/get",
      "/v1/settings/get",
      "/api/v1/settings/get",
      "/api/v2/guild/settings/get",
    ]) {
      await expect(gateway.post(`${path}?guild_id=1`, { guild_id: GUILD })).resolves.toMatchObject({ status: 200 });
    }
    for (const path of ["/v1/guild/settings/get/", "/V1/settings/get", "/v1//settings/get", "/v2/settings/get"]) {
      await expect(gateway.post(path, { guild_id: GUILD })).resolves.toMatchObject({ status: 404 });
    }
  });

  test("keeps every digit of a guild id, as number and as string, in both versions (D7)", async () => {
    for (const path of ["/v1/guild/settings/update", WRITE]) {
      for (const [at, spelt] of [GUILD, `"${GUILD}"`].entries()) {
        const prefix = `${path.slice(1, 3)}${at}`;
        await expect(gateway.post(path, `{"guild_id":${spelt},"prefix":"${prefix}"}`)).resolves.toMatchObject({
          status: 200,
        });
        await expect(gateway.call(getGuildSettings, { guildId: GUILD })).resolves.toMatchObject({ prefix });
        const read = await gateway.post(READ, `{"guild_id":${spelt}}`);
        expect(read.text).toContain(`{"guild_id":${GUILD},`);
      }
    }
    for (const last of ["9223372036854775807", "9007199254740993", "1"]) {
      const read = await gateway.post(READ, `{"guild_id":${last}}`);
      expect(read.text).toContain(`{"guild_id":${last},`);
    }
  });

  test.each([
    "0",
    "-1",
    "9223372036854775808",
    "1.5",
    '"01"',
    '" 1"',
    '"x"',
    "null",
    "true",
    "[]",
    "{}",
    "3.7e17",
    "1e300",
  ])("with the guild_id %s is refused with 400 and the name of the field (D7)", async (spelt) => {
    await expect(gateway.post(READ, `{"guild_id":${spelt}}`)).resolves.toMatchObject({
      status: 400,
      body: { code: "INVALID_REQUEST", errors: [{ field: "guild_id" }] },
    });
  });

  test("gets the wire names of all invalid fields in one error, with the allowed values (D4)", async () => {
    const bad = { guild_id: GUILD, control_role: "x", lang: "latin", max_calendars: 0, twelve_hour: null };
    const { status, body } = await gateway.post(WRITE, bad);
    expect(status).toBe(400);
    expect(body["errors"]).toMatchObject([
      { field: "control_role", code: "MALFORMED" },
      { field: "lang", code: "NOT_ALLOWED", allowed: [...LANGUAGES] },
      { field: "max_calendars", code: "OUT_OF_RANGE" },
      { field: "twelve_hour", code: "WRONG_TYPE" },
    ]);
    expect(body["message"]).toContain("control_role must be");
  });

  test("may spell enum values in any case; unknown fields and prototype keys have no effect (D6, D8, D10)", async () => {
    const guildId = "5" as GuildId;
    const body = `{"guild_id":5,"lang":"sPanish","nonsense":{"a":1},"__proto__":{"prefix":"x"},"constructor":1}`;
    await expect(gateway.post(WRITE, body)).resolves.toMatchObject({ status: 200 });
    await expect(gateway.call(getGuildSettings, { guildId })).resolves.toMatchObject({ lang: "SPANISH", prefix: "!" });
    await expect(gateway.post(READ, '{"__proto__":{"guild_id":"5"}}')).resolves.toMatchObject({ status: 400 });
  });

  test("gets Message from v1 and message from v2 (D5)", async () => {
    await expect(gateway.post("/v1/settings/update", { guild_id: "6" })).resolves.toMatchObject({
      text: '{"Message":"Settings updated"}',
    });
    await expect(gateway.post(WRITE, { guild_id: "6" })).resolves.toMatchObject({
      text: '{"message":"Settings updated"}',
    });
  });

  test("keeps a well-formed request id, and gets a new one otherwise (D4)", async () => {
    for (const [given, kept] of [
      ["my-id_1.2", true],
      ["x".repeat(65), false],
      ["a b", false],
    ] as const) {
      const { headers } = await gateway.post(READ, { guild_id: GUILD }, { "x-request-id": given });
      expect(headers.get("x-request-id") === given).toBe(kept);
      expect(headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
    }
  });

  test("reaches the owner with its caller and request id", async () => {
    const caller = { keyId: "guild", kind: "guild", access: "write", guilds: [GUILD] } as const;
    await expect(
      gateway.call(updateGuildSettings, { guildId: GUILD, branded: true }, { caller }),
    ).rejects.toMatchObject({
      type: "OPERATOR_ONLY",
    });
  });

  test.each([
    ["/v1/announcement/get", { id: "x" }],
    ["/v1/announcement/list", { amount: 1 }],
  ])("gets a fixed 500 for an unexpected error in %s, without text, stack, action or node (D4)", async (path, more) => {
    const { status, text, headers } = await gateway.post(path, { guild_id: GUILD, ...more });
    const id = headers.get("x-request-id");
    expect(status).toBe(500);
    expect(text).toBe(`{"message":"Internal error","code":"INTERNAL","request_id":"${id}"}`);
  });

  test.each([
    ["30 kB of nested arrays", `{"guild_id":"1","prefix":${"[".repeat(15_000)}${"]".repeat(15_000)}}`],
    ["a number beyond all numbers", '{"guild_id":"1","max_calendars":1e400}'],
    ["a guild in the prototype", '{"__proto__":{"guild_id":"1"}}'],
    ["an operator of the database", '{"guild_id":{"$gt":""}}'],
    ["a lone surrogate", '{"guild_id":"1","prefix":"\\ud800"}'],
    ["a second value", '{"guild_id":"1"}{"guild_id":"2"}'],
    ["a list", '[{"guild_id":"1"}]'],
    ["nothing", ""],
  ])("is refused with 400 for %s, without a repetition of the body", async (_name, body) => {
    const { status, text } = await gateway.post(WRITE, body);
    expect([status, text.length < 1_000, text.includes("$gt")]).toEqual([400, true, false]);
    await expect(gateway.post(READ, { guild_id: GUILD })).resolves.toMatchObject({ status: 200 });
  });

  test("cannot reach actions without a route; the gateway registers only the actions for keys, feeds and changes on the bus", async () => {
    for (const path of ["/~node/list", "/api/~node/list", "/guild-settings/get", "/api/list-aliases"]) {
      await expect(gateway.post(path, {})).resolves.toMatchObject({ status: 404 });
    }
    const actions = gateway.broker.registry.actions.list({ skipInternal: true }).map(({ name }) => name);
    expect(actions).toContain("guild-settings.get");
    expect(actions.filter((name) => name.startsWith("api.")).toSorted()).toEqual([
      "api.createFeed",
      "api.createKey",
      "api.encodeOccurrences",
      "api.listChanges",
      "api.listFeeds",
      "api.listFeedsPage",
      "api.listKeyChanges",
      "api.listKeys",
      "api.readEncodedChanges",
      "api.revokeFeed",
      "api.revokeKey",
      "api.rotateFeed",
      "api.rotateKey",
    ]);
  });
});
