import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { startTestGateway, type TestGateway, untilReady } from "../../harness/test-gateway.ts";
import { nearlyMatching } from "./any-value.ts";
import { ENDPOINTS, GUILDS } from "./any-step.ts";
import { breachOf, Fuzzer } from "./fuzzer.ts";
import { fuzzKeys } from "./fuzz-keys.ts";
import { type CalendarServer, startCalendarServer } from "../../harness/calendar-server.ts";
import { breachIn, hostileStage } from "./hostile-row.ts";
import { HOSTILE_ROWS } from "./hostile-table.ts";
import { everyOwner } from "../../harness/every-owner.ts";

const REQUESTS = 1_000;
const SEED = 20_261_121;
const OPERATOR_KEY = "operator-key-of-the-tests";
/** One row takes as long as any import may. */
const SMALL_ROWS = HOSTILE_ROWS.filter(({ takesWholeImport = false }) => !takesWholeImport);

describe("requests of the fuzzer", () => {
  let gateway: TestGateway;
  let server: CalendarServer;
  let guilds = 9_200;

  beforeAll(async () => {
    server = await startCalendarServer();
    gateway = await startTestGateway(everyOwner);
    await untilReady(gateway);
  });
  afterAll(async () => {
    await gateway.stop();
    await server.close();
  });

  test.each(SMALL_ROWS.map((row) => [row.name, row] as const))(
    "that are hostile get their reason, in small: %s",
    async (_name, row) => {
      const target = { baseUrl: gateway.baseUrl, key: OPERATOR_KEY };
      // A busy machine may refuse a request before it was started.
      const isRefused = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
        body["code"] === "UNAVAILABLE";
      const stage = hostileStage(target, { many: 4_000, guild: String((guilds += 1)), server }, isRefused);
      expect(breachIn(await row.attack(stage))).toBeUndefined();
    },
  );

  test("that are generated get no 5xx, no text of another guild, and only known fields in errors; `npm run fuzz` sends more", async () => {
    const fuzzer = new Fuzzer({
      baseUrl: gateway.baseUrl,
      keys: await fuzzKeys((path, body) => gateway.post(path, body)),
    });
    await fuzzer.run(REQUESTS, SEED);
    expect(fuzzer.sent).toBeGreaterThanOrEqual(REQUESTS);
    // Some requests succeeded, and each kind of refusal occurred.
    expect(Object.keys(fuzzer.statuses)).toEqual(expect.arrayContaining(["200", "400", "403", "404"]));
    expect(fuzzer.statuses["200"]).toBeGreaterThan(REQUESTS / 20);
  });
});

describe("texts for a pattern", () => {
  test.each(["^[1-9]\\d{0,18}$", "^\\d{1,20}$|^(?:everyone|here)$", "^[^\\p{C}\\p{Z}]{1,16}$"])(
    "match %s in about half of the cases, and nearly match in the others",
    (pattern) => {
      const texts = fc.sample(nearlyMatching(pattern), { numRuns: 400, seed: SEED });
      const matching = texts.filter((text) => new RegExp(pattern, "u").test(text)).length;
      expect(matching).toBeGreaterThan(150);
      expect(texts.length - matching).toBeGreaterThan(50);
    },
  );
});

describe("the fuzzer", () => {
  const endpoint = ENDPOINTS.find(({ path }) => path === "/v2/events/get")!;
  const step = { keyName: "guild 0", endpoint } as const;
  const refused = (more: object) => JSON.stringify({ code: "INVALID_REQUEST", request_id: "r", ...more });

  test.each([
    ["a 5xx", 503, "{}"],
    ["another guild's text", 200, `{"name":"of-${GUILDS[1]}!"}`],
    ["an error without a code", 404, "{}"],
    ["a 400 without a field", 400, refused({})],
    ["a 400 with a field that the request does not have", 400, refused({ errors: [{ field: "color" }] })],
  ])("sees %s", (_name, status, text) => {
    expect(breachOf(step, { status, text })).toBeDefined();
  });

  test("accepts a correct response", () => {
    expect(breachOf(step, { status: 200, text: `{"name":"of-${GUILDS[0]}!"}` })).toBeUndefined();
    const text = refused({ errors: [{ field: "calendar_number" }] });
    expect(breachOf(step, { status: 400, text })).toBeUndefined();
  });
});
