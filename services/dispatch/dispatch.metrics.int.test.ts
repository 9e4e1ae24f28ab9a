import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { metricsRegistry } from "../../mixins/observability/metrics.ts";
import { startTestServices, type TestServices } from "../../test/real-parts/test-services.ts";
import { until } from "../../test/real-parts/until.ts";
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

describe("the figures of dispatch", () => {
  let services: TestServices;

  beforeAll(async () => {
    services = await startTestServices((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      calendarEventsService({ mongoUrl }),
      announcementsService({ mongoUrl }),
      dispatchService({ mongoUrl, sinks: [newRecordingSink()], graceMs: 900_000 }),
    ]);
  });
  afterAll(() => services.stop());

  /** The figures, once this line is among them. */
  async function figuresWith(line: RegExp): Promise<string> {
    await until(async () => line.test(await metricsRegistry.metrics()), String(line), 30_000);
    return metricsRegistry.metrics();
  }

  test("tell what was planned and posted, how late, how long the sink took, and what the plan called off by itself", async () => {
    const startsAt = Date.now() + 2_000;
    await services.call(createEvent, { guildId, calendarNumber: 1, startsAt, endsAt: startsAt + 60_000 });
    await services.call(createAnnouncement, { guildId, ...rule });
    await services.call(createAnnouncement, { guildId, ...lateRule });
    const figures = await figuresWith(/^guildcal_posts_settled_total\{state="sent",reason=""\} 1$/m);
    expect(figures).toMatch(/^guildcal_posts_planned_total 1$/m);
    expect(figures).toMatch(/^guildcal_posts_settled_total\{state="skipped",reason="ANNOUNCEMENT_CHANGED"\} 1$/m);
    expect(figures).toMatch(/^guildcal_post_lateness_seconds_count\{sink="log"\} 1$/m);
    expect(figures).toMatch(/^guildcal_post_wait_seconds_count\{sink="log",for="turn"\} 1$/m);
    expect(figures).toMatch(/^guildcal_sink_duration_seconds_count\{sink="log",outcome="sent"\} 1$/m);
  });

  test("tell what is open and overdue, what is in work, how old the plan is, and that no sink is halted", async () => {
    const startsAt = Date.now() + 3_600_000;
    await services.call(createEvent, { guildId, calendarNumber: 1, startsAt, endsAt: startsAt });
    const figures = await figuresWith(/^guildcal_posts_open 1$/m);
    expect(figures).toMatch(/^guildcal_posts_overdue 0$/m);
    expect(figures).toMatch(/^guildcal_posts_in_work 0$/m);
    expect(figures).toMatch(/^guildcal_plan_lag_seconds \d/m);
    expect(figures).toMatch(/^guildcal_changes_waiting\{feed="calendar-events"\} \d+$/m);
    expect(figures).toMatch(/^guildcal_sink_halted\{sink="log"\} 0$/m);
  });
});
