import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import mongoose, { type Connection } from "mongoose";
import { startsInFeed } from "../../../test/calendar/read-feed.ts";
import {
  KEY_HASHING,
  standIn,
  startTestGateway,
  type TestGateway,
  untilReady,
} from "../../../test/harness/test-gateway.ts";
import { until } from "../../../test/harness/until.ts";
import { calendarEventsService } from "../../calendar-events/calendar-events.service.ts";
import { MAX_FEEDS } from "../../contracts/feeds.contract.ts";
import { guildSettingsService } from "../../guild-settings/guild-settings.service.ts";
import { encodeKey, FEED_PREFIX } from "../keys/key-text.ts";
import { newKeyId } from "../keys/key-digests.ts";
import { feedPath } from "./feed-path.ts";

const DAY = 86_400_000;
const WEEK = 7 * DAY;
/** A Tuesday, 20:00 in Berlin. */
const START = Date.UTC(2026, 2, 3, 19);
let guilds = 700;

describe("feeds of calendars (D47)", () => {
  let gateway: TestGateway;
  let database: Connection;

  beforeAll(async () => {
    const rates = { perKey: 0, perGuild: 0, failedKeysPerAddress: 0, trustedProxies: ["127.0.0.1"] };
    gateway = await startTestGateway(
      (mongoUrl) => [
        guildSettingsService({ mongoUrl }),
        calendarEventsService({ mongoUrl }),
        standIn("announcements"),
        standIn("dispatch"),
        standIn("webhooks"),
      ],
      { apiKey: "operator-key-of-the-tests", rates },
    );
    await untilReady(gateway);
    database = await mongoose.createConnection(gateway.mongoUrl).asPromise();
  });
  afterAll(async () => {
    await database.close();
    await gateway.stop();
  });

  /** A new guild, with the requests of the tests. */
  function newGuild(calendar_number = 1) {
    const guild_id = String((guilds += 1));
    const where = { guild_id, calendar_number };
    const ask = async (path: string, body: object) => {
      const response = await gateway.post(path, body);
      expect([path, response.status, response.text]).toEqual([path, 200, response.text]);
      return response.body;
    };
    return {
      guild_id,
      where,
      ask,
      event: async (fields: object) =>
        (await ask("/v2/events/create", { ...where, epoch_start: START, epoch_end: START + 7_200_000, ...fields }))[
          "id"
        ] as string,
      feed: async (fields: object = {}) =>
        (await ask("/v2/calendar/feeds/create", { ...where, ...fields })) as Record<"id" | "path", string>,
      feeds: async () => (await ask("/v2/calendar/feeds/list", { guild_id }))["feeds"] as Record<string, unknown>[],
      /** Makes all writes a minute older, since the tag of a feed never matches for seconds after a write. */
      age: () =>
        database
          .collection("calendar_events")
          .updateMany({ guildId: guild_id, changedAt: { $exists: true } }, [
            { $set: { changedAt: { $subtract: ["$changedAt", 60_000] } } },
          ]),
    };
  }

  const read = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    gateway.request(path, { method, headers });
  const tagOf = ({ headers }: { readonly headers: Headers }) => headers.get("etag") ?? "";

  test("a feed is created, read, listed, rotated and revoked, and its address is shown once", async () => {
    const guild = newGuild();
    const id = await guild.event({ name: "Raid night" });
    const made = await guild.feed({ label: "raiders" });
    const response = await read(made.path);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/calendar; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("private, no-cache");
    expect(tagOf(response)).toMatch(/^"[^"]+"$/);
    expect(response.text).toMatch(/^BEGIN:VCALENDAR\r\n[^]*\r\nEND:VCALENDAR\r\n$/);
    expect(response.text).toContain(`UID:${id}\r\n`);
    expect(response.text).toContain("SUMMARY:Raid night\r\n");
    await until(async () => (await guild.feeds())[0]?.["last_used"] !== undefined, "the use is recorded");
    const [listed] = await guild.feeds();
    expect(listed).toMatchObject({ id: made.id, calendar_number: 1, label: "raiders" });
    expect(JSON.stringify(listed)).not.toContain(made.path.slice(-20, -4));

    const rotated = await guild.ask("/v2/calendar/feeds/rotate", { guild_id: guild.guild_id, id: made.id });
    expect(rotated["id"]).toBe(made.id);
    expect((await read(made.path)).status).toBe(404);
    expect((await read(String(rotated["path"]))).status).toBe(200);
    await guild.ask("/v2/calendar/feeds/revoke", { guild_id: guild.guild_id, id: made.id });
    expect((await read(String(rotated["path"]))).status).toBe(404);
    expect(await guild.feeds()).toEqual([]);
    for (const path of ["rotate", "revoke"]) {
      const gone = await gateway.post(`/v2/calendar/feeds/${path}`, { guild_id: guild.guild_id, id: made.id });
      expect([gone.status, gone.body["code"]]).toEqual([404, "FEED_NOT_FOUND"]);
    }
  });

  test("only a digest of the token is stored", async () => {
    const guild = newGuild();
    const { path } = await guild.feed();
    const secret = /_([0-9a-f]{64})_/.exec(path)?.[1] ?? "";
    const rows = await database.collection("calendar_feeds").find().toArray();
    expect(secret).toHaveLength(64);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(rows.length).toBeGreaterThan(0);
  });

  test("an unchanged feed gets 304 by its tag, and each change gives another tag and a complete response", async () => {
    const guild = newGuild();
    const { path } = await guild.feed();
    const unchanged = async () => {
      await guild.age();
      const whole = await read(path);
      const again = await read(path, { "if-none-match": tagOf(whole) });
      expect([whole.status, again.status, again.text, tagOf(again)]).toEqual([200, 304, "", tagOf(whole)]);
      expect(again.headers.get("content-length")).toBeNull();
      return { tag: tagOf(whole), text: whole.text };
    };
    const states = [await unchanged()];
    const id = await guild.event({ recur: true, recurrence: { frequency: "WEEKLY" }, name: "Weekly" });
    const changes: (() => Promise<unknown>)[] = [
      async () => undefined,
      () => guild.ask("/v2/events/update", { ...guild.where, event_id: id, name: "Every week" }),
      () => guild.ask("/v2/events/delete", { ...guild.where, event_id: `${id}_20260310T190000Z` }),
      () => guild.ask("/v2/calendar/update", { ...guild.where, name: "Raids" }),
      () => guild.ask("/v2/calendar/update", { ...guild.where, timezone: "Europe/Berlin" }),
      () => guild.ask("/v2/events/delete", { ...guild.where, event_id: id }),
    ];
    for (const change of changes) {
      await change();
      const before = states.at(-1)?.tag ?? "";
      expect((await read(path, { "if-none-match": before })).status).toBe(200);
      states.push(await unchanged());
    }
    expect(new Set(states.map(({ tag }) => tag)).size).toBe(states.length);
    expect(new Set(states.map(({ text }) => text)).size).toBe(states.length);
  });

  test("a recent write gives the feed a tag that never matches, since a slower write may become visible later", async () => {
    const guild = newGuild();
    await guild.event({});
    const { path } = await guild.feed();
    const first = await read(path);
    expect((await read(path, { "if-none-match": tagOf(first) })).status).toBe(200);
  });

  test.each([
    ["a weak tag, as proxies send it", (tag: string) => `W/${tag}`, 304],
    ["one of several", (tag: string) => `"other", ${tag}`, 304],
    ["any", () => "*", 304],
    ["another tag", () => '"other"', 200],
    ["a malformed tag", () => "nonsense", 200],
  ])("If-None-Match with %s", async (_title, header, status) => {
    const guild = newGuild();
    await guild.event({});
    await guild.age();
    const { path } = await guild.feed();
    const tag = tagOf(await read(path));
    expect((await read(path, { "if-none-match": header(tag) })).status).toBe(status);
  });

  test("HEAD gets the headers of GET without a body, and other methods get 405", async () => {
    const guild = newGuild();
    await guild.event({});
    await guild.age();
    const { path } = await guild.feed();
    const [head, whole] = [await read(path, {}, "HEAD"), await read(path)];
    expect([head.status, head.text, tagOf(head)]).toEqual([200, "", tagOf(whole)]);
    expect(head.headers.get("content-type")).toBe("text/calendar; charset=utf-8");
    expect((await read(path, { "if-none-match": tagOf(whole) }, "HEAD")).status).toBe(304);
    const posted = await gateway.post(path, {});
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("every invalid address gets the same 404", async () => {
    const guild = newGuild();
    const { path } = await guild.feed();
    const own = { env: KEY_HASHING.env, id: newKeyId(KEY_HASHING.pepper), secret: "0".repeat(64) };
    const wrong = [
      path.replace(/_[0-9a-f]{64}_/, `_${"0".repeat(64)}_`),
      feedPath(encodeKey(own, FEED_PREFIX)),
      feedPath(encodeKey({ ...own, id: "0123456789abcdef0123" }, FEED_PREFIX)),
      feedPath(encodeKey({ ...own, id: /gcf_test_([0-9a-f]+)_/.exec(path)?.[1] ?? "" }, FEED_PREFIX)),
      feedPath("operator-key-of-the-tests"),
      feedPath("x"),
    ];
    const responses = await Promise.all(wrong.map((each) => read(each)));
    const bodies = responses.map(({ status, body: { request_id: _, ...body } }) => ({ status, ...body }));
    expect(new Set(bodies.map((each) => JSON.stringify(each)))).toEqual(
      new Set([JSON.stringify({ status: 404, message: "Feed not found", code: "FEED_NOT_FOUND" })]),
    );
    expect(responses.map(({ headers }) => headers.get("www-authenticate"))).toEqual(wrong.map(() => null));
    expect((await read(path)).status).toBe(200);
    expect((await gateway.post("/v2/calendar/get", guild.where, { authorization: path.slice(18, -4) })).status).toBe(
      401,
    );
  });

  test("a feed of a calendar that the guild may not have cannot be created, and can no longer be read", async () => {
    const guild = newGuild(2);
    const refused = await gateway.post("/v2/calendar/feeds/create", guild.where);
    expect([refused.status, refused.body["code"]]).toEqual([404, "CALENDAR_NOT_FOUND"]);
    await guild.ask("/v2/guild/settings/update", { guild_id: guild.guild_id, max_calendars: 2 });
    const { path } = await guild.feed();
    expect((await read(path)).status).toBe(200);
    await guild.ask("/v2/guild/settings/update", { guild_id: guild.guild_id, max_calendars: 1 });
    await until(async () => (await read(path)).status === 404, "the calendar is not allowed");
    expect((await read(path)).body["code"]).toBe("FEED_NOT_FOUND");
  });

  test("a feed of a color has only the events and occurrences of this color", async () => {
    const guild = newGuild();
    await guild.event({ name: "Red", color: "RED" });
    await guild.event({ name: "Blue", color: "BLUE" });
    const series = { recur: true, recurrence: { frequency: "WEEKLY", count: 3 } };
    const red = await guild.event({ name: "Red series", color: "RED", ...series });
    const blue = await guild.event({ name: "Blue series", color: "BLUE", ...series });
    const second = "20260310T190000Z";
    await guild.ask("/v2/events/update", {
      ...guild.where,
      event_id: `${red}_${second}`,
      color: "BLUE",
      name: "Now blue",
    });
    await guild.ask("/v2/events/update", {
      ...guild.where,
      event_id: `${blue}_${second}`,
      color: "RED",
      name: "Now red",
    });
    const { path } = await guild.feed({ color: "red" });
    const { text } = await read(path);
    expect([...text.matchAll(/SUMMARY:(.*)\r\n/g)].map(([, name = ""]) => name).toSorted()).toEqual([
      "Now red",
      "Red",
      "Red series",
    ]);
    expect(text).toContain(`EXDATE:${second}\r\n`);
    expect(text).toContain(`UID:${blue}_${second}\r\n`);
    const window = { from: START, until: START + 10 * WEEK };
    expect(startsInFeed(text, window)).toEqual([START, START, START + WEEK, START + 2 * WEEK]);
    expect((await guild.feeds())[0]?.["color"]).toBe("RED");
  });

  test("ical.js reads the same occurrences from a feed as the calendar's list has", async () => {
    const guild = newGuild();
    await guild.ask("/v2/calendar/update", { ...guild.where, timezone: "Europe/Berlin" });
    const weekly = await guild.event({
      recur: true,
      recurrence: { frequency: "WEEKLY", by_day: ["TU", "TH"], ex_dates: [START + 2 * DAY], r_dates: [START + DAY] },
    });
    await guild.event({ recur: true, recurrence: { frequency: "MONTHLY", by_day: ["1TU"], until: START + 150 * DAY } });
    await guild.event({ epoch_start: START + 5 * DAY, epoch_end: START + 6 * DAY });
    const at = (days: number) => new Date(START + days * DAY).toISOString().replaceAll(/[-:]|\.\d+/g, "");
    const moved = { epoch_start: START + 8 * DAY, epoch_end: START + 9 * DAY };
    await guild.ask("/v2/events/update", { ...guild.where, event_id: `${weekly}_${at(7)}`, ...moved });
    await guild.ask("/v2/events/delete", { ...guild.where, event_id: `${weekly}_${at(9)}` });
    await guild.ask("/v2/calendar/update", { ...guild.where, timezone: "America/New_York" });
    const { path } = await guild.feed();
    const window = { from: START, until: START + 200 * DAY };
    const range = { epoch_start: window.from, epoch_end: window.until - 1 };
    const listed = (await guild.ask("/v2/events/list/range", { ...guild.where, ...range }))["events"] as {
      epoch_start: number;
    }[];
    const expected = listed.map(({ epoch_start }) => epoch_start).toSorted((one, other) => one - other);
    expect(startsInFeed((await read(path)).text, window)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(50);
  });

  test("a guild has at most 100 feeds, also after concurrent creates", async () => {
    const guild = newGuild();
    const create = () => gateway.post("/v2/calendar/feeds/create", guild.where);
    const made = await Promise.all(Array.from({ length: MAX_FEEDS + 20 }, create));
    const full = made.filter(({ status }) => status !== 200);
    expect(full.map(({ status, body }) => [status, body["code"]])).toEqual(full.map(() => [409, "TOO_MANY_FEEDS"]));
    expect([full.length, (await guild.feeds()).length]).toEqual([20, MAX_FEEDS]);
    const id = (await guild.feeds())[0]?.["id"];
    await guild.ask("/v2/calendar/feeds/revoke", { guild_id: guild.guild_id, id });
    await guild.feed();
  });
});
