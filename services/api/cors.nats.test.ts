import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { standIn, startTestGateway, type TestGateway } from "../../test/harness/test-gateway.ts";
import { OWNERS } from "../contracts/service-names.ts";

const APP = "https://app.example.com";
const KEY = "operator-key-of-the-tests";
const PATH = "/v2/guild/settings/get";

describe("CORS", () => {
  let open: TestGateway;
  let closed: TestGateway;
  let toAll: TestGateway;

  const start = (corsOrigins?: readonly string[]) =>
    startTestGateway(() => OWNERS.map((name) => standIn(name)), {
      apiKey: KEY,
      ...(corsOrigins === undefined ? {} : { corsOrigins }),
    });
  const preflight = (gateway: TestGateway, origin: string, path = PATH) =>
    gateway.request(path, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
      },
    });
  const allowed = ({ headers }: { readonly headers: Headers }) => headers.get("access-control-allow-origin");

  beforeAll(async () => {
    [open, closed, toAll] = await Promise.all([start([APP, "http://localhost:5173"]), start(), start(["*"])]);
  });
  afterAll(() => Promise.all([open, closed, toAll].map((each) => each.stop())));

  test("a preflight of an allowed origin gets the allowed methods and headers", async () => {
    const response = await preflight(open, APP);
    expect([response.status, allowed(response), response.text]).toEqual([200, APP, ""]);
    expect(response.headers.get("access-control-allow-methods")).toBe("GET, POST");
    expect(response.headers.get("access-control-allow-headers")).toMatch(
      /authorization, content-type, idempotency-key/,
    );
    expect(response.headers.get("access-control-max-age")).toBe("600");
  });

  test("a page of an allowed origin can read the stream of changes, and go on after its last event", async () => {
    const stream = "/v2/changes/stream";
    const response = await preflight(open, APP, stream);
    expect([response.status, allowed(response)]).toEqual([200, APP]);
    expect(response.headers.get("access-control-allow-headers")).toContain("last-event-id");
    const headers = { origin: APP, authorization: KEY };
    const opened = await open.request(`${stream}?guild_id=1`, { method: "HEAD", headers });
    expect([opened.status, allowed(opened)]).toEqual([200, APP]);
    const refused = await open.request(stream, { headers });
    expect([refused.status, allowed(refused)]).toEqual([400, APP]);
  });

  test("a page of an allowed origin can read responses and errors, with their headers", async () => {
    const refused = await open.post(PATH, { guild_id: "1" }, { origin: APP, authorization: "wrong" });
    expect([refused.status, allowed(refused), refused.headers.get("vary")]).toEqual([401, APP, "Origin"]);
    expect(refused.headers.get("access-control-expose-headers")).toMatch(/etag.*retry-after.*x-request-id/);
    expect(allowed(await open.post("/nowhere", {}, { origin: "http://localhost:5173" }))).toBe("http://localhost:5173");
  });

  test.each([
    "https://app.example",
    "https://app.example.com.evil.example",
    "https://evil.example",
    "null",
    APP.slice(1),
  ])("%s gets no CORS headers, and its requests get the same responses as others", async (origin) => {
    const refused = await preflight(open, origin);
    expect([refused.status, allowed(refused)]).toEqual([405, null]);
    const response = await open.post(PATH, {}, { origin });
    expect([response.status, allowed(response)]).toEqual([400, null]);
  });

  test("by default no origin is allowed", async () => {
    const response = await preflight(closed, APP);
    expect([response.status, allowed(response)]).toEqual([405, null]);
    expect(allowed(await closed.post(PATH, {}, { origin: APP }))).toBeNull();
  });

  test("with * every origin is allowed, also on an unknown path", async () => {
    expect(allowed(await preflight(toAll, "https://any.example", "/nowhere"))).toBe("*");
    expect(allowed(await toAll.post(PATH, {}, { origin: "https://any.example" }))).toBe("*");
  });
});
