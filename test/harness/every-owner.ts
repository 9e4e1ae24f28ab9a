import type { ServiceSchema } from "moleculer";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import { dispatchService } from "../../services/dispatch/dispatch.service.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { webhooksService } from "../../services/webhooks/webhooks.service.ts";
import { newRecordingSink } from "../fixtures/recording-sink.ts";
import { WEBHOOKS_KEY } from "./webhooks-key.ts";

/** All services but the gateway, with a sink that only records. */
export function everyOwner(mongoUrl: string): ServiceSchema[] {
  return [
    guildSettingsService({ mongoUrl }),
    announcementsService({ mongoUrl }),
    calendarEventsService({ mongoUrl, follow: { allowPrivate: true } }),
    webhooksService({ mongoUrl, key: WEBHOOKS_KEY, allowPrivate: true }),
    dispatchService({ mongoUrl, sinks: [newRecordingSink()], graceMs: 60_000 }),
  ];
}
