import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { RRuleTemporal } from "rrule-temporal";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import { dispatchService } from "../../services/dispatch/dispatch.service.ts";
import { logSink } from "../../services/dispatch/sinks/log/log.sink.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { anyByRuleSeries, isNthOfYearAmongOthers, isSetOfWeeks, ruleText } from "../calendar/any-rule.ts";
import type { AnySeries } from "../calendar/any-series.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../harness/test-gateway.ts";

const SERIES = 200;
const YEAR = 2031;
/** Without the kinds of rules that rrule-temporal computes wrongly (test/calendar/other-libraries.contract.test.ts). */
const anySeries = anyByRuleSeries.filter(
  ({ series: { recurrence }, wall }) =>
    !isSetOfWeeks(recurrence) && !isNthOfYearAmongOthers(recurrence) && wall > 0 && wall < Date.UTC(YEAR, 6),
);

interface Shown {
  readonly event_id: string;
  readonly epoch_start: number;
  readonly epoch_end: number;
}

describe("a calendar of 200 series with 200 rules and durations (D43)", () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      calendarEventsService({ mongoUrl }),
      announcementsService({ mongoUrl }),
      dispatchService({ mongoUrl, sinks: [logSink({ writeLine: () => undefined })], graceMs: 60_000 }),
      standIn("webhooks"),
    ]);
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  test("accepts all of them, and lists each month of a year as another library does", async () => {
    const where = { guild_id: "375357265198317580", calendar_number: 1 };
    const all = fc.sample(anySeries, { numRuns: SERIES, seed: 2_031 });
    expect(new Set(all.map(ruleText)).size).toBeGreaterThan(SERIES - 10);
    const expected: Shown[] = [];
    for (const one of all) {
      const [from, length] = [one.wall, one.series.endsAt - one.series.startsAt];
      const recurrence = { rrule: ruleText(one) };
      const times = { epoch_start: from, epoch_end: from + length };
      const event = { ...where, ...times, recur: true, recurrence };
      const created = await gateway.post("/v2/events/create", event);
      expect([ruleText(one), created.status]).toEqual([ruleText(one), 200]);
      const starts = startsThrough(one, Date.UTC(YEAR + 1, 0));
      const id = String(created.body["id"]);
      expected.push(...starts.map((start) => ({ event_id: id, epoch_start: start, epoch_end: start + length })));
    }
    let count = 0;
    for (let month = 0; month < 12; month += 1) {
      const [from, until] = [Date.UTC(YEAR, month), Date.UTC(YEAR, month + 1)];
      const days = { days_in_month: (until - from) / 86_400_000, epoch_start: from };
      const { body } = await gateway.post("/v2/events/list/month", { ...where, ...days });
      const shown = (body["events"] as Shown[]).map(keyOf);
      expect(shown.toSorted()).toEqual(
        expected
          .filter((each) => touches(each, from, until))
          .map(keyOf)
          .toSorted(),
      );
      count += shown.length;
    }
    expect(count).toBeGreaterThan(800);
  });
});

/** The starts of a series in UTC. */
function startsThrough(one: AnySeries, until: number): number[] {
  const stamp = new Date(one.wall).toISOString().replaceAll(/[-:]|\.\d+Z/g, "");
  const rruleString = `DTSTART;TZID=UTC:${stamp}\nRRULE:${ruleText(one)}`;
  const rule = new RRuleTemporal({ rruleString, maxIterations: 100_000 });
  return rule.between(new Date(one.wall), new Date(until - 1), true).map(({ epochMilliseconds }) => epochMilliseconds);
}

/** D17. */
function touches({ epoch_start: start, epoch_end: end }: Shown, from: number, until: number): boolean {
  return start < until && (end > from || start === from);
}

/** The id of an occurrence begins with that of its series. */
function keyOf({ event_id: id, epoch_start: start, epoch_end: end }: Shown): string {
  return `${id.split("_")[0]} ${start} ${end}`;
}
