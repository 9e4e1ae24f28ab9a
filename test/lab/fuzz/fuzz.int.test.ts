import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { announcementsService } from "../../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../../services/calendar-events/calendar-events.service.ts";
import { dispatchService } from "../../../services/dispatch/dispatch.service.ts";
import { newRecordingSink } from "../../fixtures/recording-sink.ts";
import { guildSettingsService } from "../../../services/guild-settings/guild-settings.service.ts";
import { startTestGateway, type TestGateway, untilReady } from "../../real-parts/test-gateway.ts";
import { nearlyMatching } from "./any-value.ts";
import { ENDPOINTS, GUILDS } from "./any-step.ts";
import { breachOf, Fuzzer } from "./fuzzer.ts";
import { keysOfAskers } from "./keys-of-askers.ts";

const REQUESTS = 2_000;
const SEED = 20_261_121;

describe("requests that nobody would write", () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      announcementsService({ mongoUrl }),
      calendarEventsService({ mongoUrl }),
      dispatchService({ mongoUrl, sinks: [newRecordingSink()], graceMs: 60_000 }),
    ]);
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  test("are answered without a 5xx, without another guild's texts, and with fields that exist; `npm run fuzz` asks more", async () => {
    const fuzzer = new Fuzzer({
      baseUrl: gateway.baseUrl,
      keys: await keysOfAskers((path, body) => gateway.post(path, body)),
    });
    await fuzzer.run(REQUESTS, SEED);
    expect(fuzzer.asked).toBeGreaterThanOrEqual(REQUESTS);
    // It got through to what it asks for, and was refused in every way.
    expect(Object.keys(fuzzer.statuses)).toEqual(expect.arrayContaining(["200", "400", "403", "404"]));
    expect(fuzzer.statuses["200"]).toBeGreaterThan(REQUESTS / 20);
  });
});

describe("texts for a pattern", () => {
  test.each(["^[1-9]\\d{0,18}$", "^\\d{1,20}$|^(?:everyone|here)$", "^[^\\p{C}\\p{Z}]{1,16}$"])(
    "match %s, and nearly do, in numbers that count",
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
  const step = { asker: "guild 0", endpoint } as const;
  const refused = (more: object) => JSON.stringify({ code: "INVALID_REQUEST", request_id: "r", ...more });

  test.each([
    ["a 5xx", 503, "{}"],
    ["another guild's text", 200, `{"name":"of-${GUILDS[1]}!"}`],
    ["an error without a code", 404, "{}"],
    ["a 400 that names no field", 400, refused({})],
    ["a 400 that names a field that is not there", 400, refused({ errors: [{ field: "colour" }] })],
  ])("sees %s", (_name, status, text) => {
    expect(breachOf(step, { status, text })).toBeDefined();
  });

  test("lets pass what is right", () => {
    expect(breachOf(step, { status: 200, text: `{"name":"of-${GUILDS[0]}!"}` })).toBeUndefined();
    const text = refused({ errors: [{ field: "calendar_number" }] });
    expect(breachOf(step, { status: 400, text })).toBeUndefined();
  });
});
