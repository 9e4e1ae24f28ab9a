import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { serve } from "../../mixins/contract-action.ts";
import { until } from "../../test/real-parts/until.ts";
import { getAnnouncement } from "../contracts/announcements.contract.ts";
import { refuse } from "../contracts/errors.ts";
import { type Health, healthOf, SERVICE_NAMES } from "../contracts/health.contract.ts";
import { openapiText } from "./openapi.ts";
import { ROUTES } from "./route-table.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../../test/real-parts/test-gateway.ts";

describe("what the gateway serves to everybody", () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway(() => SERVICE_NAMES.map((name) => standIn(name)));
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  test("the API document, as it is committed", async () => {
    const { status, text } = await gateway.request("/openapi.json");
    expect({ status, text }).toEqual({ status: 200, text: openapiText(ROUTES) });
  });

  test("the docs page, whole, from here alone, under a policy that lets in nothing else", async () => {
    const page = await gateway.request("/docs");
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
    const links = [...page.text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link]) => link!);
    expect(links.length).toBeGreaterThan(2);
    for (const link of links) {
      expect(link).toMatch(/^docs\//);
      const { status, headers } = await gateway.request(`/${link}`);
      expect([link, status, headers.get("x-content-type-options")]).toEqual([link, 200, "nosniff"]);
    }
  });

  test.each(["/docs/", "/docs/swagger-ui.js", "/docs/package.json", "/docs/..%2fpackage.json", "/"])(
    "nothing else: %s",
    async (path) => {
      await expect(gateway.request(path)).resolves.toMatchObject({ status: 404, body: { code: "ROUTE_NOT_FOUND" } });
    },
  );

  test("HEAD is answered as GET is, without the body", async () => {
    const { status, headers, text } = await gateway.request("/openapi.json", { method: "HEAD" });
    expect([status, text, headers.get("content-length")]).toEqual([200, "", String(openapiText(ROUTES).length)]);
  });

  test("it lives", async () => {
    await expect(gateway.request("/health/live")).resolves.toMatchObject({ status: 200, body: { status: "live" } });
  });
});

describe("a service that goes away", () => {
  let gateway: TestGateway;
  const well = { database: true };
  const silence = Promise.withResolvers<Health>();
  let health: Health | Promise<Health> = well;
  let calls = 0;

  beforeAll(async () => {
    const actions = {
      ...serve(healthOf("announcements"), async () => health),
      ...serve(getAnnouncement, async ({ id }) => {
        calls += 1;
        if (id === "hang") await silence.promise;
        return refuse("ANNOUNCEMENT_NOT_FOUND");
      }),
    };
    gateway = await startTestGateway(() => [
      standIn("guild-settings"),
      standIn("calendar-events"),
      standIn("announcements", actions),
      standIn("dispatch"),
    ]);
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  const get = (id: string) => gateway.post("/v1/announcement/get", { guild_id: "1", id });
  const missing = async () => (await gateway.request("/health/ready")).body["missing"];

  test("is missing from readiness, and its database when that is what is gone", async () => {
    health = { database: false };
    await until(async () => (await missing()) !== undefined, "something is missing");
    expect(await missing()).toEqual(["database of announcements"]);
    health = well;
    await untilReady(gateway);
  });

  test("is answered for with 503, a call in flight too, and is asked nothing until it is back", async () => {
    const inFlight = get("hang");
    await until(() => calls === 1, "the call is in flight");
    health = silence.promise;
    await expect(inFlight).resolves.toMatchObject({ status: 503, body: { code: "UNAVAILABLE" } });
    expect(await missing()).toEqual(["announcements"]);
    const refused = await get("any");
    expect([refused.status, refused.headers.get("retry-after"), calls]).toEqual([503, "1", 1]);
    await expect(gateway.post("/v2/events/list/ongoing", {})).resolves.toMatchObject({ status: 400 });

    health = well;
    silence.resolve(well);
    await untilReady(gateway);
    await expect(get("any")).resolves.toMatchObject({ status: 404, body: { code: "ANNOUNCEMENT_NOT_FOUND" } });
  });
});
