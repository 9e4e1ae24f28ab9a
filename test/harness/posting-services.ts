import { announcementsService } from "../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import { dispatchService } from "../../services/dispatch/dispatch.service.ts";
import type { Sink } from "../../services/dispatch/sinks/sink.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { startTestServices, type TestServices } from "./test-services.ts";

/** Starts the services that post announcements of events, with one sink. */
export function startPostingServices(sink: Sink): Promise<TestServices> {
  return startTestServices((mongoUrl) => [
    guildSettingsService({ mongoUrl }),
    calendarEventsService({ mongoUrl }),
    announcementsService({ mongoUrl }),
    dispatchService({ mongoUrl, sinks: [sink], graceMs: 900_000 }),
  ]);
}
