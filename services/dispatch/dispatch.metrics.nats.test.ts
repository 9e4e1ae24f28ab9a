import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { metricsRegistry } from "../../mixins/observability/metrics.ts";
import { startTestServices, type TestServices } from "../../test/harness/test-services.ts";
import { until } from "../../test/harness/until.ts";
import { announcementsService } from "../announcements/announcements.service.ts";
import { calendarEventsService } from "../calendar-events/calendar-events.service.ts";
import { createAnnouncement } from "../contracts/announcements.contract.ts";
import { createEvent } from "../contracts/calendar-events.contract.ts";
import type { GuildId } from "../contracts/ids.ts";
import { guildSettingsService } from "../guild-settings/guild-settings.service.ts";
import { dispatchService } from "./dispatch.service.ts";
import { newRecordingSink } from "../../test/fixtures/recording-sink.ts";

const guildId = "9" as GuildId;
const lateRule = { type: "UNIVERSAL", channel: "77", hours: 5, minutes: 0, info: "" } as const;
const rule = { ...lateRule, hours: 0 };

describe("the metrics of dispatch", () => {
  let services: TestServices;

  beforeAll(async () => {
    // In the first minute of a process, posts are not counted yet.
    jest.spyOn(process, "uptime").mockReturnValue(60);
    services = await startTestServices((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      calendarEventsService({ mongoUrl }),
      announcementsService({ mongoUrl }),
      dispatchService({ mongoUrl, sinks: [newRecordingSink()], graceMs: 900_000 }),
    ]);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await services.stop();
  });

  /** The exported metrics, once they have this line. */
  async function metricsWith(line: RegExp): Promise<string> {
    await until(async () => line.test(await metricsRegistry.metrics()), String(line), 30_000);
    return metricsRegistry.metrics();
  }

  test("count planned, sent and cancelled posts, and measure lateness and the duration of sends", async () => {
    const startsAt = Date.now() + 8_000;
    await services.call(createEvent, { guildId, calendarNumber: 1, startsAt, endsAt: startsAt + 60_000 });
    await services.call(createAnnouncement, { guildId, ...rule });
    await services.call(createAnnouncement, { guildId, ...lateRule });
    await metricsWith(/^guildcal_posts_settled_total\{state="skipped",reason="ANNOUNCEMENT_CHANGED"\} 1$/m);
    const metrics = await metricsWith(/^guildcal_posts_settled_total\{state="sent",reason=""\} 1$/m);
    expect(metrics).toMatch(/^guildcal_posts_planned_total 1$/m);
    expect(metrics).toMatch(/^guildcal_post_lateness_seconds_count\{sink="log"\} 1$/m);
    expect(metrics).toMatch(/^guildcal_post_wait_seconds_count\{sink="log",cause="turn"\} 1$/m);
    expect(metrics).toMatch(/^guildcal_sink_duration_seconds_count\{sink="log",outcome="sent"\} 1$/m);
  });

  test("show open and overdue posts, posts in flight, the age of the plan, and no halted sink", async () => {
    const startsAt = Date.now() + 3_600_000;
    await services.call(createEvent, { guildId, calendarNumber: 1, startsAt, endsAt: startsAt });
    const metrics = await metricsWith(/^guildcal_posts_open 1$/m);
    expect(metrics).toMatch(/^guildcal_posts_overdue 0$/m);
    expect(metrics).toMatch(/^guildcal_posts_in_flight 0$/m);
    expect(metrics).toMatch(/^guildcal_plan_lag_seconds \d/m);
    expect(metrics).toMatch(/^guildcal_changes_waiting\{feed="calendar-events"\} \d+$/m);
    expect(metrics).toMatch(/^guildcal_sink_halted\{sink="log"\} 0$/m);
  });
});
