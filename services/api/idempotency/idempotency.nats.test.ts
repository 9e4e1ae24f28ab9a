import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { serve } from "../../../mixins/actions/contract-action.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../../../test/harness/test-gateway.ts";
import { until } from "../../../test/harness/until.ts";
import { calendarEventsService } from "../../calendar-events/calendar-events.service.ts";
import { createAnnouncement } from "../../contracts/announcements.contract.ts";
import { refuse } from "../../contracts/errors.ts";
import type { AnnouncementId } from "../../contracts/ids.ts";

const CREATE_EVENT = "/v2/events/create";
const CREATE_ANNOUNCEMENT = "/v1/announcement/create";
const event = { guild_id: "1", calendar_number: 1, epoch_start: 1_000, epoch_end: 2_000 };
const announcement = { guild_id: "1", channel: "1", type: "UNIVERSAL", hours: 0, minutes: 0, info: "" };

describe("a create request with an Idempotency-Key beyond the quota of the guild", () => {
  const apiKey = "a-key-of-the-operator";
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway(
      (mongoUrl) => [
        calendarEventsService({ mongoUrl }),
        standIn("guild-settings"),
        standIn("dispatch"),
        standIn("webhooks"),
        standIn("announcements"),
      ],
      { apiKey, idempotencyKeysPerGuild: 2 },
    );
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  test("is refused with a 429 that names the quota and the time until there is room, and creates nothing", async () => {
    const send = (headers: object) => gateway.post(CREATE_EVENT, event, { authorization: apiKey, ...headers });
    for (const key of ["one", "two"]) await send({ "idempotency-key": key });
    const { status, headers, body } = await send({ "idempotency-key": "three" });
    expect([status, body["code"]]).toEqual([429, "TOO_MANY_REQUESTS"]);
    expect(body["message"]).toContain("has used 2 Idempotency-Keys within 24 hours");
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(86_000);
    await expect(send({ "idempotency-key": "one" })).resolves.toMatchObject({ status: 200 });
    const date = { guild_id: "1", calendar_number: 1, epoch_start: 0 };
    const listed = () => gateway.post("/v2/events/list/date", date, { authorization: apiKey });
    expect((await listed()).body["events"]).toHaveLength(2);
    await expect(send({})).resolves.toMatchObject({ status: 200 });
    expect((await listed()).body["events"]).toHaveLength(3);
  });
});

describe("a create request with an Idempotency-Key", () => {
  let gateway: TestGateway;
  let made = 0;
  /** The write id of each call. */
  const writes: unknown[] = [];
  let handle: () => Promise<unknown> = async () => undefined;

  beforeAll(async () => {
    gateway = await startTestGateway((mongoUrl) => [
      calendarEventsService({ mongoUrl }),
      standIn("guild-settings"),
      standIn("dispatch"),
      standIn("webhooks"),
      standIn("announcements", {
        ...serve(createAnnouncement, async (_params, { meta }) => {
          made += 1;
          writes.push(meta.writeId);
          return ((await handle()) ?? { id: `a-${meta.writeId}` }) as { id: AnnouncementId };
        }),
      }),
    ]);
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  const named = (name: string) => ({ "idempotency-key": name });
  const announce = (name: string, more: object = {}) =>
    gateway.postOnce(CREATE_ANNOUNCEMENT, { ...announcement, ...more }, named(name));

  test("gets the same bytes and ETag when it is repeated, and creates nothing twice", async () => {
    const first = await gateway.post(CREATE_EVENT, event, named("n1"));
    const again = await gateway.post(CREATE_EVENT, event, named("n1"));
    expect([first.status, again.text]).toEqual([200, first.text]);
    expect([first.headers.get("etag"), again.headers.get("etag")]).toEqual(['"1"', '"1"']);
    const { body } = await gateway.post("/v2/events/list/date", { guild_id: "1", calendar_number: 1, epoch_start: 0 });
    expect(body["events"]).toHaveLength(1);
    const other = await gateway.post(CREATE_EVENT, event, named("n2"));
    expect(other.text).not.toBe(first.text);
  });

  test("is refused with 409 if the key was used with another body; the order of fields and unknown fields do not matter", async () => {
    const first = await gateway.post(CREATE_EVENT, event, named("n3"));
    const same = { is_parent: true, ...Object.fromEntries(Object.entries(event).toReversed()) };
    await expect(gateway.post(CREATE_EVENT, same, named("n3"))).resolves.toMatchObject({ text: first.text });
    await expect(gateway.post(CREATE_EVENT, { ...event, name: "x" }, named("n3"))).resolves.toMatchObject({
      status: 409,
      body: { code: "IDEMPOTENCY_KEY_REUSED" },
    });
  });

  test("is the same write when it is repeated while the first one is running", async () => {
    const held = Promise.withResolvers<undefined>();
    handle = () => held.promise;
    writes.length = 0;
    const first = announce("n4");
    await until(() => writes.length === 1, "the first is under way");
    const again = announce("n4");
    held.resolve(undefined);
    const { text } = await first;
    await expect(again).resolves.toMatchObject({ status: 200, text });
    await expect(announce("n4")).resolves.toMatchObject({ status: 200, text });
    expect(new Set(writes).size).toBe(1);
  });

  test("is performed once if it is sent many times at the same moment", async () => {
    const many = { ...event, guild_id: "5" };
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => gateway.post(CREATE_EVENT, many, named("n5"))),
    );
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    const { body } = await gateway.post("/v2/events/list/date", { guild_id: "5", calendar_number: 1, epoch_start: 0 });
    expect(body["events"]).toHaveLength(1);
  });

  test.each(["TOO_MANY_ANNOUNCEMENTS", "UNAVAILABLE"] as const)(
    "is the same write when it is repeated after %s, and another request may use the key",
    async (error) => {
      writes.length = 0;
      handle = async () => refuse(error);
      await expect(announce(error)).resolves.toMatchObject({ body: { code: error } });
      handle = async () => undefined;
      await expect(announce(`${error}-2`)).resolves.toMatchObject({ status: 200 });
      await expect(announce(error)).resolves.toMatchObject({ status: 200 });
      expect(writes.at(-1)).toBe(writes[0]);
      handle = async () => refuse(error);
      await announce(`${error}-3`);
      handle = async () => undefined;
      await expect(announce(`${error}-3`, { info: "other" })).resolves.toMatchObject({ status: 200 });
    },
  );

  test("is the same write when it is repeated after an unknown outcome, and no other request may use the key", async () => {
    writes.length = 0;
    handle = async () => refuse("OUTCOME_UNKNOWN");
    await expect(announce("n7")).resolves.toMatchObject({ status: 503, body: { code: "OUTCOME_UNKNOWN" } });
    handle = async () => undefined;
    await expect(announce("n7", { info: "other" })).resolves.toMatchObject({
      status: 409,
      body: { code: "IDEMPOTENCY_KEY_REUSED" },
    });
    await expect(announce("n7")).resolves.toMatchObject({ status: 200 });
    expect(new Set(writes).size).toBe(1);
  });

  test("that is repeated after an unknown outcome and refused then leaves the key to no other request", async () => {
    handle = async () => refuse("OUTCOME_UNKNOWN");
    await expect(announce("n8")).resolves.toMatchObject({ body: { code: "OUTCOME_UNKNOWN" } });
    handle = async () => refuse("UNAVAILABLE");
    await expect(announce("n8")).resolves.toMatchObject({ body: { code: "UNAVAILABLE" } });
    handle = async () => undefined;
    await expect(announce("n8", { info: "other" })).resolves.toMatchObject({
      status: 409,
      body: { code: "IDEMPOTENCY_KEY_REUSED" },
    });
    await expect(announce("n8")).resolves.toMatchObject({ status: 200 });
  });

  test("is refused with an invalid key before its guild is looked at, together with the problems of its body", async () => {
    const response = announce("a b", { guild_id: "not a guild" });
    await expect(response).resolves.toMatchObject({
      status: 400,
      body: { errors: [{ field: "guild_id" }, { field: "Idempotency-Key" }] },
    });
  });

  test.each(["", "a b", "\u00e4", "x".repeat(256)])(
    "is refused with 400 if the key is invalid: %.20p",
    async (name) => {
      made = 0;
      await expect(announce(name)).resolves.toMatchObject({
        status: 400,
        body: { errors: [{ field: "Idempotency-Key" }] },
      });
      expect(made).toBe(0);
    },
  );
});
