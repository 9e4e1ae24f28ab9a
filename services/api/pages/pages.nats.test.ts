import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openapiText } from "../openapi/openapi-document.ts";
import { ROUTES } from "../route-table.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../../../test/harness/test-gateway.ts";
import { OWNERS } from "../../contracts/service-names.ts";

describe("the pages without an API key", () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway(() => OWNERS.map((name) => standIn(name)));
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  test("the API document is served as committed", async () => {
    const { status, text } = await gateway.request("/openapi.json");
    expect({ status, text }).toEqual({ status: 200, text: openapiText(ROUTES) });
  });

  test("the docs page loads all its files from the gateway, and its Content-Security-Policy allows no other source", async () => {
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

  test("the console is served with its policy, and not sent again to a browser that has it", async () => {
    const page = await gateway.request("/console");
    expect(page.headers.get("content-security-policy")).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    );
    for (const path of ["/console", "/console/main.js", "/console/words/words.js", "/console/console.css"]) {
      const { status, headers } = await gateway.request(path);
      expect([path, status, headers.get("x-content-type-options")]).toEqual([path, 200, "nosniff"]);
      const known = { "if-none-match": headers.get("etag")! };
      await expect(gateway.request(path, { headers: known })).resolves.toMatchObject({ status: 304, text: "" });
    }
  });

  test.each([
    "/console/model/types.ts",
    "/console/README.md",
    "/docs/swagger-ui.js",
    "/docs/package.json",
    "/docs/..%2fpackage.json",
  ])("other files are not served: %s", async (path) => {
    await expect(gateway.request(path)).resolves.toMatchObject({ status: 404, body: { code: "ROUTE_NOT_FOUND" } });
  });

  test("the docs page with a slash at the end redirects to the page, also behind a proxy with a path prefix", async () => {
    const { status, headers } = await gateway.request("/docs/", { redirect: "manual" });
    expect([status, headers.get("location")]).toEqual([308, "../docs"]);
    await expect(gateway.request("/docs/")).resolves.toMatchObject({
      status: 200,
      text: expect.stringContaining('<div id="docs">'),
    });
  });

  test("the root redirects to the docs page and lists the pages", async () => {
    const { status, headers, body } = await gateway.request("/", { redirect: "manual" });
    expect([status, headers.get("location")]).toEqual([302, "docs"]);
    expect(body).toMatchObject({ docs: "/docs", console: "/console", openapi: "/openapi.json" });
    for (const path of [body["docs"], body["console"], body["openapi"], body["live"], body["ready"]]) {
      expect((await gateway.request(String(path))).status).toBe(200);
    }
    await expect(gateway.request("/", { method: "POST" })).resolves.toMatchObject({ status: 405 });
  });

  test.each([
    ["/v1/announcements/list", "/v1/announcement/list"],
    ["/announcement/list", "/v1/announcement/list"],
    ["/V2/Events/Get/", "/v2/events/get"],
    ["/api/v2/events/lst/month", "/api/v2/events/list/month"],
    ["/v1/events/get", "/v2/events/get"],
    ["/openapi.yaml", "/openapi.json"],
    ["/openapi.jsn", "/openapi.json"],
    ["/doc", "/docs"],
    ["/foo", undefined],
    [`/v1/announcement/list${"/x".repeat(3_000)}`, undefined],
  ])("the 404 of the path %.40s suggests %s, and repeats nothing of the path", async (path, nearest) => {
    const { status, body } = await gateway.request(path);
    const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
    expect([status, body["code"], body["message"]]).toEqual([404, "ROUTE_NOT_FOUND", `No such path${hint}`]);
  });

  test("HEAD gets the response of GET without the body", async () => {
    const { status, headers, text } = await gateway.request("/openapi.json", {
      method: "HEAD",
      headers: { "accept-encoding": "identity" },
    });
    expect([status, text, headers.get("content-length")]).toEqual([
      200,
      "",
      String(Buffer.byteLength(openapiText(ROUTES))),
    ]);
  });

  test("pages are compressed only if the client accepts gzip", async () => {
    const bundle = "/docs/swagger-ui-bundle.js";
    const codingOf = async (accepted: string) => {
      const { status, headers } = await gateway.request(bundle, { headers: { "accept-encoding": accepted } });
      return [status, headers.get("content-encoding"), headers.get("vary")];
    };
    await expect(codingOf("gzip, deflate, br")).resolves.toEqual([200, "gzip", "accept-encoding"]);
    await expect(codingOf("br;q=1.0, gzip;q=0.5")).resolves.toEqual([200, "gzip", "accept-encoding"]);
    await expect(codingOf("gzip;q=0")).resolves.toEqual([200, null, "accept-encoding"]);
    await expect(codingOf("identity")).resolves.toEqual([200, null, "accept-encoding"]);
    const [plain, compressed] = await Promise.all([
      gateway.request(bundle, { headers: { "accept-encoding": "identity" } }),
      gateway.request(bundle, { headers: { "accept-encoding": "gzip" } }),
    ]);
    expect(compressed.text).toBe(plain.text);
    expect(Number(compressed.headers.get("content-length"))).toBeLessThan(plain.text.length / 3);
  });

  test("the docs page fits the screen of a phone, and stores nothing beyond its tab", async () => {
    expect((await gateway.request("/docs")).text).toContain('<meta name="viewport" content="width=device-width');
    const { text } = await gateway.request("/docs/start.js");
    expect(text).toContain("sessionStorage");
    expect(text).not.toMatch(/localStorage[.[]|document\.cookie/);
  });

  test("the liveness probe succeeds", async () => {
    await expect(gateway.request("/health/live")).resolves.toMatchObject({ status: 200, body: { status: "live" } });
  });
});
