import { BlockList } from "node:net";
import type { ServiceSchema } from "moleculer";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import { dispatchService } from "../../services/dispatch/dispatch.service.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { webhooksService } from "../../services/webhooks/webhooks.service.ts";
import { newRecordingSink } from "../fixtures/recording-sink.ts";
import { WEBHOOKS_KEY } from "./webhooks-key.ts";

/** The address of the servers that tests start. */
const TEST_SERVERS = new BlockList();
TEST_SERVERS.addAddress("127.0.0.1");

/** All services but the gateway, with a sink that only records. */
export function everyOwner(mongoUrl: string): ServiceSchema[] {
  return [
    guildSettingsService({ mongoUrl }),
    announcementsService({ mongoUrl }),
    calendarEventsService({ mongoUrl, follow: { allowPrivate: TEST_SERVERS } }),
    webhooksService({ mongoUrl, key: WEBHOOKS_KEY, allowPrivate: TEST_SERVERS }),
    dispatchService({ mongoUrl, sinks: [newRecordingSink()], graceMs: 60_000 }),
  ];
}
