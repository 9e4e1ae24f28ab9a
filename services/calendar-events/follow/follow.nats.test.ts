import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  calendarBody,
  type CalendarServer,
  startCalendarServer,
  vevent,
} from "../../../test/harness/calendar-server.ts";
import { changingGuild } from "../../../test/harness/changing-guild.ts";
import { everyOwner } from "../../../test/harness/every-owner.ts";
import { startTestGateway, type TestGateway, untilReady } from "../../../test/harness/test-gateway.ts";
import { until } from "../../../test/harness/until.ts";

const HOUR = 3_600_000;

describe("calendars that follow an address (D55)", () => {
  let gateway: TestGateway;
  let server: CalendarServer;

  beforeAll(async () => {
    server = await startCalendarServer();
    gateway = await startTestGateway(everyOwner);
    await untilReady(gateway);
  });
  afterAll(async () => {
    await gateway.stop();
    await server.close();
  });

  const stateOf = async (where: object) => (await gateway.post("/v2/calendar/follow/get", where)).body;
  const codeOf = async (path: string, body: object) => {
    const { status, body: response } = await gateway.post(path, body);
    return [status, response["code"]];
  };

  test("are read-only, which their state and the changes of the guild show; their name may be changed", async () => {
    const guild = changingGuild(gateway);
    const event = await guild.event();
    const { token } = await guild.all();
    const where = { ...guild.where, url: server.url.replace(/^http:/, "webcal:") };
    expect(await codeOf("/v2/calendar/follow", where)).toEqual([409, "CALENDAR_NOT_EMPTY"]);
    await guild.ask("/v2/calendar/follow", { ...where, replace: true });
    // webcal means https, which this server does not speak.
    await until(async () => (await stateOf(guild.where))["error"] === "NO_RESPONSE", "the failed read");
    const url = server.url.replace(/^http:/, "https:");
    expect(await stateOf(guild.where)).toMatchObject({ url, state: "active", failures: 1 });
    expect(await guild.ask("/v2/calendar/get", guild.where)).toMatchObject({ follow: "active" });
    const { changes } = await guild.all(token);
    expect(changes).toMatchObject([{ kind: "calendar", calendar: { follow: "active" } }]);
    const existing = { event_id: event, name: "x" };
    for (const [path, body] of [
      ["create", guild.times],
      ["update", existing],
      ["delete", existing],
    ] as const) {
      expect(await codeOf(`/v2/events/${path}`, { ...guild.where, ...body })).toEqual([409, "CALENDAR_FOLLOWED"]);
    }
    const imported = await gateway.request(`/v2/calendar/import?guild_id=${guild.guild_id}&calendar_number=1`, {
      method: "POST",
      headers: { authorization: "operator-key-of-the-tests", "content-type": "text/calendar" },
      body: calendarBody([vevent("other", "20300101T100000Z")]),
    });
    expect([imported.status, imported.body["code"]]).toEqual([409, "CALENDAR_FOLLOWED"]);
    await guild.ask("/v2/calendar/update", { ...guild.where, name: "Raids" });
    await guild.ask("/v2/calendar/unfollow", guild.where);
    await guild.rename(event, "writable again");
  });

  test("are announced by their colour or by UNIVERSAL, and stay when they are unfollowed", async () => {
    const guild = changingGuild(gateway);
    const start = Math.ceil(Date.now() / HOUR) * HOUR + 5 * HOUR;
    const at = new Date(start).toISOString().replaceAll(/[-:]|\.000/g, "");
    server.serve(calendarBody([vevent("raid", at, "\nRRULE:FREQ=DAILY;COUNT=3\nCOLOR:red")]), '"1"');
    const rule = { guild_id: guild.guild_id, channel: "381142957109346304", info: "", hours: 1, minutes: 0 };
    const [universal, red] = [
      await guild.ask("/v1/announcement/create", { ...rule, type: "UNIVERSAL" }),
      await guild.ask("/v1/announcement/create", { ...rule, type: "COLOR", event_color: "RED" }),
    ].map(({ id }) => id);
    await guild.ask("/v2/calendar/follow", { ...guild.where, url: server.url });
    await until(async () => "last_success" in (await stateOf(guild.where)), "the first read");
    expect(await stateOf(guild.where)).toMatchObject({ created: 1, failures: 0, host: new URL(server.url).host });
    const window = { epoch_start: start, epoch_end: start + 100 * HOUR };
    const { events } = await guild.ask("/v2/events/list/range", { ...guild.where, ...window });
    const starts = (events as { epoch_start: number }[]).map(({ epoch_start }) => epoch_start);
    expect(starts).toEqual([start, start + 24 * HOUR, start + 48 * HOUR]);
    const planned = async () => {
      const { posts } = await guild.ask("/v1/announcement/upcoming", { guild_id: guild.guild_id, amount: -1 });
      return (posts as { announcement_id: string; due: number }[]).filter(({ due }) => due === start - HOUR);
    };
    await until(async () => (await planned()).length === 2, "the posts are planned");
    expect(new Set((await planned()).map(({ announcement_id }) => announcement_id))).toEqual(new Set([universal, red]));

    const key = { kind: "guild", access: "read", guilds: [guild.guild_id], label: "a dashboard" };
    const authorization = String((await guild.ask("/admin/keys/create", key))["key"]);
    const seen = await gateway.post("/v2/calendar/follow/get", guild.where, { authorization });
    expect([seen.status, seen.body["url"], seen.body["state"]]).toEqual([200, undefined, "active"]);

    await guild.ask("/v2/calendar/unfollow", guild.where);
    expect(await codeOf("/v2/calendar/follow/get", guild.where)).toEqual([404, "FOLLOW_NOT_FOUND"]);
    const event_id = (events as { event_id: string }[])[0]?.event_id.split("_", 1)[0] ?? "";
    await guild.rename(event_id, "ours now");
    expect(await codeOf("/v2/calendar/follow", { ...guild.where, url: server.url })).toEqual([
      409,
      "CALENDAR_NOT_EMPTY",
    ]);
  });

  test("refuse an address that is no https URL, or not public, and change nothing", async () => {
    const guild = changingGuild(gateway);
    const urls = [
      "http://8.8.8.8/a.ics",
      "ftp://a.example/a",
      "https://u:p@a.example/",
      "a.ics",
      "https://a.example/#x",
    ];
    for (const url of [...urls, `https://a.example/${"x".repeat(2_048)}`, 7, undefined]) {
      const { status, body } = await gateway.post("/v2/calendar/follow", { ...guild.where, url });
      expect([url, status, body["errors"]]).toEqual([url, 400, [expect.objectContaining({ field: "url" })]]);
    }
    expect(await codeOf("/v2/calendar/unfollow", guild.where)).toEqual([404, "FOLLOW_NOT_FOUND"]);
    expect(await codeOf("/v2/calendar/follow", { ...guild.where, calendar_number: 2, url: server.url })).toEqual([
      404,
      "CALENDAR_NOT_FOUND",
    ]);
    expect(await guild.ask("/v2/calendar/get", guild.where)).not.toHaveProperty("follow");
  });
});
