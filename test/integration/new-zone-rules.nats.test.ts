import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { timeZoneSet } from "../../mixins/time-zones/time-zone-set.ts";
import { timeZones, setTimeZones } from "../../mixins/time-zones/time-zones.ts";
import { calendarEventsChangesSince } from "../../services/contracts/calendar-events.contract.ts";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import { dispatchService } from "../../services/dispatch/dispatch.service.ts";
import { logSink } from "../../services/dispatch/sinks/log/log.sink.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../harness/test-gateway.ts";
import { until } from "../harness/until.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ZONE = "Atlantic/Reykjavik";
const where = { guild_id: "375357265198317579", calendar_number: 1 };
/** A guild whose series were not changed, so that no write of them announces the new rules. */
const announcing = { guild_id: "375357265198317580", calendar_number: 1 };
const guild = { guild_id: announcing.guild_id };

/** A guild whose calendar is on UTC, with a series in the zone that was imported (D52). */
const importing = { guild_id: "375357265198317581", calendar_number: 1 };

type Json = Record<string, unknown>;

describe("new rules of a time zone that set its clock an hour ahead tomorrow (D46)", () => {
  const before = timeZones();
  const start = Math.ceil(Date.now() / HOUR) * HOUR + HOUR;
  const change = start + 12 * HOUR;
  const midnight = Math.ceil(change / DAY) * DAY + 6 * DAY;
  const allDayDate = new Date(midnight).toISOString().slice(0, 10);
  let gateway: TestGateway;
  let mongoUrl = "";
  let daily = "";
  let late = "";
  let former: Awaited<ReturnType<typeof calendarChanges>>;

  async function startServices(): Promise<void> {
    const sinks = [logSink({ writeLine: () => undefined })];
    gateway = await startTestGateway((newUrl) => {
      mongoUrl ||= newUrl;
      return [
        guildSettingsService({ mongoUrl }),
        calendarEventsService({ mongoUrl }),
        announcementsService({ mongoUrl }),
        dispatchService({ mongoUrl, sinks, graceMs: 15 * 60_000 }),
        standIn("webhooks"),
      ];
    });
    await untilReady(gateway);
  }

  async function create(startsAt: number, more: object = {}, calendar = where): Promise<string> {
    const times = { epoch_start: startsAt, epoch_end: startsAt + HOUR };
    const recurrence = { frequency: "DAILY", ...more };
    const { body } = await gateway.post("/v2/events/create", { ...calendar, ...times, recur: true, recurrence });
    return String(body["id"]);
  }
  async function startsIn(from: number, length: number): Promise<Json[]> {
    const window = { ...where, epoch_start: from, epoch_end: from + length - 1 };
    const { body } = await gateway.post("/v2/events/list/range", window);
    return body["events"] as Json[];
  }
  const idAt = (series: string, at: number) => `${series}_${new Date(at).toISOString().replaceAll(/[-:]|\.000/g, "")}`;
  const planned = async () => {
    const { body } = await gateway.post("/v1/announcement/upcoming", { ...guild, amount: -1 });
    return (body["posts"] as Json[]).map((post) => post["epoch_start"]);
  };

  /** The calendars of the guilds with announcements, and with an import, in the change feed. */
  async function calendarChanges() {
    const params = { mark: { at: 0, id: "" }, limit: 100 };
    const { changes } = await gateway.call(calendarEventsChangesSince, params);
    return [announcing, importing].map(({ guild_id }) => changes.find(({ id }) => id === `${guild_id}/1`));
  }

  async function importSeries(): Promise<void> {
    const series = `UID:1\r\nDTSTART;TZID=${ZONE}:20300101T200000\r\nRRULE:FREQ=DAILY\r\n`;
    const { guild_id, calendar_number } = importing;
    const path = `/v2/calendar/import?guild_id=${guild_id}&calendar_number=${calendar_number}`;
    const body = `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n${series}END:VEVENT\r\nEND:VCALENDAR\r\n`;
    expect((await gateway.post(path, body, { "content-type": "text/calendar" })).status).toBe(200);
  }

  beforeAll(async () => {
    await startServices();
    for (const calendar of [where, announcing]) {
      await gateway.post("/v2/calendar/update", { ...calendar, timezone: ZONE });
    }
    daily = await create(start, { ex_dates: [start + 3 * DAY] });
    // The first occurrence has an instant, whose wall time differs between the old and the new rules.
    late = await create(start + 2 * DAY + 6 * HOUR);
    await gateway.post("/v2/events/create", { ...where, all_day: true, start_date: allDayDate });
    await gateway.post("/v2/events/delete", { ...where, event_id: idAt(daily, start + 2 * DAY) });
    const moved = { event_id: idAt(daily, start + 4 * DAY), name: "moved by hand" };
    await gateway.post("/v2/events/update", { ...where, ...moved });
    const announced = await create(start, {}, announcing);
    const announcement = { channel: "1", type: "RECUR", event_id: announced, hours: 0, minutes: 0, info: "" };
    await gateway.post("/v1/announcement/create", { ...guild, ...announcement });
    await until(async () => (await planned()).includes(start + DAY), "the plan by the old rules");
    await importSeries();
    former = await calendarChanges();
    await gateway.stop();

    const makers = new Map(before.names.map((name) => [name, () => rulesOf(name)]));
    setTimeZones(timeZoneSet({ version: "2031a", publishedAt: 0, source: "folder" }, makers, before.links));
    await startServices();
  });
  afterAll(async () => {
    await gateway.stop();
    setTimeZones(before);
  });

  function rulesOf(name: string) {
    const rules = before.rulesOf(name);
    if (rules === undefined) throw new Error(`no zone ${name}`);
    return name === ZONE ? { ...rules, changes: [...rules.changes, { at: change, offset: HOUR }] } : rules;
  }

  test("plan the posts of its series again, without a write of a client", async () => {
    await until(async () => (await planned()).includes(start + DAY - HOUR), "the plan by the new rules");
    expect(await planned()).not.toContain(start + DAY);
    expect(await planned()).toContain(start);
  });

  test("put its calendars into the change feed, with unchanged revisions", async () => {
    const haveChanged = async () =>
      (await calendarChanges()).every((each, at) => (each?.changedAt ?? 0) > (former[at]?.changedAt ?? Infinity));
    await until(haveChanged, "the calendars have changed");
    expect((await calendarChanges()).map((each) => each?.revision)).toEqual(former.map((each) => each?.revision));
  });

  test("move cancelled, excluded and changed occurrences with their series", async () => {
    const names = async () =>
      (await startsIn(start + DAY, 3 * DAY + 12 * HOUR)).filter(({ event_id }) => String(event_id).startsWith(daily));
    await until(async () => (await names()).length === 1, "cancelled and excluded occurrences are not listed");
    expect(await names()).toMatchObject([{ epoch_start: start + 4 * DAY - HOUR, name: "moved by hand" }]);
    const { body } = await gateway.post("/v2/events/get", { ...where, event_id: daily });
    expect(body["recurrence"]).toMatchObject({ ex_dates: [start + 3 * DAY - HOUR] });
  });

  test("move all-day events with the midnights of the zone, and short windows find them", async () => {
    const found = async (at: number) =>
      (await startsIn(at, 60_000)).filter(({ all_day }) => all_day === true).map((event) => event["epoch_start"]);
    await until(async () => (await found(midnight - HOUR)).length === 1, "the day begins an hour earlier");
    expect(await found(midnight - HOUR)).toEqual([midnight - HOUR]);
    expect(await found(midnight + DAY - HOUR)).toEqual([]);
  });

  test("keep the instant of a first occurrence, and short windows find the series by the new rules", async () => {
    const first = start + 2 * DAY + 6 * HOUR;
    const found = async (at: number) => (await startsIn(at, 60_000)).map(({ event_id }) => event_id);
    await until(async () => (await found(first + DAY)).length === 1, "the second occurrence is found");
    expect(await found(first)).toEqual([idAt(late, first)]);
  });
});
