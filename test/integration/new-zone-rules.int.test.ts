import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { timeZoneSet } from "../../mixins/time-zones/time-zone-set.ts";
import { timeZones, setTimeZones } from "../../mixins/time-zones/time-zones.ts";
import { calendarEventsChangesSince } from "../../services/contracts/calendar-events.contract.ts";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import { dispatchService } from "../../services/dispatch/dispatch.service.ts";
import { logSink } from "../../services/dispatch/sinks/log/log.sink.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../real-parts/test-gateway.ts";
import { until } from "../real-parts/until.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ZONE = "Atlantic/Reykjavik";
const where = { guild_id: "375357265198317579", calendar_number: 1 };
/** A guild whose series were not changed, so that no write of them announces the new rules. */
const announcing = { guild_id: "375357265198317580", calendar_number: 1 };
const guild = { guild_id: announcing.guild_id };

type Json = Record<string, unknown>;

describe("new rules of a time zone that set its clock an hour ahead tomorrow (D46)", () => {
  const before = timeZones();
  const start = Math.ceil(Date.now() / HOUR) * HOUR + HOUR;
  const change = start + 12 * HOUR;
  let gateway: TestGateway;
  let mongoUrl = "";
  let daily = "";
  let late = "";
  let former: Awaited<ReturnType<typeof calendarChange>>;

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

  /** The calendar of the guild with announcements, in the change feed. */
  async function calendarChange() {
    const asked = { mark: { at: 0, id: "" }, limit: 100 };
    const { changes } = await gateway.call(calendarEventsChangesSince, asked);
    return changes.find(({ id }) => id === `${announcing.guild_id}/1`);
  }

  beforeAll(async () => {
    await startServices();
    for (const calendar of [where, announcing]) {
      await gateway.post("/v2/calendar/update", { ...calendar, timezone: ZONE });
    }
    daily = await create(start, { ex_dates: [start + 3 * DAY] });
    // The first occurrence has an instant, whose wall time differs between the old and the new rules.
    late = await create(start + 2 * DAY + 6 * HOUR);
    await gateway.post("/v2/events/delete", { ...where, event_id: idAt(daily, start + 2 * DAY) });
    const moved = { event_id: idAt(daily, start + 4 * DAY), name: "moved by hand" };
    await gateway.post("/v2/events/update", { ...where, ...moved });
    const announced = await create(start, {}, announcing);
    const announcement = { channel: "1", type: "RECUR", event_id: announced, hours: 0, minutes: 0, info: "" };
    await gateway.post("/v1/announcement/create", { ...guild, ...announcement });
    await until(async () => (await planned()).includes(start + DAY), "the plan by the old rules");
    former = await calendarChange();
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
    const changedAt = former?.changedAt ?? Infinity;
    await until(async () => ((await calendarChange())?.changedAt ?? 0) > changedAt, "the calendar has changed");
    expect((await calendarChange())?.revision).toBe(former?.revision);
  });

  test("move cancelled, excluded and changed occurrences with their series", async () => {
    const names = async () =>
      (await startsIn(start + DAY, 3 * DAY + 12 * HOUR)).filter(({ event_id }) => String(event_id).startsWith(daily));
    await until(async () => (await names()).length === 1, "cancelled and excluded occurrences are not listed");
    expect(await names()).toMatchObject([{ epoch_start: start + 4 * DAY - HOUR, name: "moved by hand" }]);
    const { body } = await gateway.post("/v2/events/get", { ...where, event_id: daily });
    expect(body["recurrence"]).toMatchObject({ ex_dates: [start + 3 * DAY - HOUR] });
  });

  test("keep the instant of a first occurrence, and short windows find the series by the new rules", async () => {
    const first = start + 2 * DAY + 6 * HOUR;
    const found = async (at: number) => (await startsIn(at, 60_000)).map(({ event_id }) => event_id);
    await until(async () => (await found(first + DAY)).length === 1, "the second occurrence is found");
    expect(await found(first)).toEqual([idAt(late, first)]);
  });
});
