import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  KEY_HASHING,
  standIn,
  startTestGateway,
  type TestGateway,
  untilReady,
} from "../../../test/harness/test-gateway.ts";
import { until } from "../../../test/harness/until.ts";
import { guildSettingsService } from "../../guild-settings/guild-settings.service.ts";
import { encodeKey } from "../keys/key-text.ts";
import { GatewayRates, ratesUsed, type RatesUsed } from "./gateway-rates.ts";
import { OWNERS } from "../../contracts/service-names.ts";

const READ = "/v2/guild/settings/get";
const settings = { perKey: 50, perGuild: 5, failedKeysPerAddress: 5, trustedProxies: [] };

describe("the rate limits of the gateway", () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway(
      (mongoUrl) => [
        guildSettingsService({ mongoUrl }),
        ...OWNERS.filter((name) => name !== "guild-settings").map((name) => standIn(name)),
      ],
      { apiKey: "operator-key-of-the-tests", rates: settings },
    );
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  test("are in the headers of every response, and a request over the limit of a guild gets 429 with Retry-After", async () => {
    const first = await gateway.post(READ, { guild_id: "1" });
    expect(first.headers.get("ratelimit-policy")).toBe('"key";q=50;w=60, "guild";q=5;w=60');
    expect(first.headers.get("ratelimit")).toMatch(/^"key";r=\d+;t=\d+, "guild";r=4;t=\d+$/);
    const refused = await gateway.post(READ, { guild_id: "x" });
    expect([refused.status, refused.headers.get("ratelimit-policy")]).toEqual([400, '"key";q=50;w=60']);
    await until(async () => (await gateway.post(READ, { guild_id: "1" })).status === 429, "the guild has had enough");
    const last = await gateway.post(READ, { guild_id: "1" });
    expect(last).toMatchObject({ status: 429, body: { code: "TOO_MANY_REQUESTS" } });
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
    await expect(gateway.post(READ, { guild_id: "2" })).resolves.toMatchObject({ status: 200 });
  });

  test("count the requests that another gateway has admitted", async () => {
    const other = new GatewayRates(settings);
    for (let at = 0; at < 5; at += 1) other.guilds.take("3", Date.now());
    const used: RatesUsed = other.takeReports(Date.now())!;
    await gateway.broker.broadcast(ratesUsed.name, used);
    await until(async () => (await gateway.post(READ, { guild_id: "3" })).status === 429, "the others' use counts");
    await expect(gateway.post(READ, { guild_id: "5" })).resolves.toMatchObject({ status: 200 });
  });

  test("refuse invalid keys of an address with 429 after too many failures, and admit valid keys", async () => {
    const wrong = () => ({ authorization: encodeKey({ env: KEY_HASHING.env, id: "nobody", secret: "0".repeat(64) }) });
    const ask = () => gateway.post(READ, { guild_id: "4" }, wrong());
    expect((await ask()).status).toBe(401);
    await until(async () => (await ask()).status === 429, "the address has failed too often");
    await expect(
      gateway.post(READ, { guild_id: "4" }, { ...wrong(), "x-forwarded-for": "9.9.9.9" }),
    ).resolves.toMatchObject({
      status: 429,
    });
    await expect(gateway.post(READ, { guild_id: "4" })).resolves.toMatchObject({ status: 200 });
  });
});
