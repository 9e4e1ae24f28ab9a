import { setTimeout as pause } from "node:timers/promises";
import type { ServiceBroker } from "moleculer";
import { createEvent } from "../../../services/contracts/calendar-events.contract.ts";
import { followCalendar } from "../../../services/contracts/calendar-follows.contract.ts";
import type { GuildId } from "../../../services/contracts/ids.ts";
import { createWebhook, listWebhooks, updateWebhook } from "../../../services/contracts/webhooks.contract.ts";
import { startReceiver } from "../../harness/webhook-receiver.ts";

/** A guild with a webhook, of which an occurrence starts every few seconds, and one with a followed calendar. */
export interface GuildWithWebhook {
  stop(): Promise<void>;
}

const GUILD = "600000" as GuildId;
const FOLLOWING_GUILD = "600001" as GuildId;
const EVERY_MS = 5_000;

/** It stops as soon as `stop` is called. Calls may fail meanwhile. */
export async function startGuildWithWebhook(broker: ServiceBroker): Promise<GuildWithWebhook> {
  const receiver = await startReceiver();
  const types = ["event.created", "occurrence.started"];
  const params = { guildId: GUILD, url: receiver.url, types };
  const other = await broker.call<{ id: string }, object>(createWebhook.name, params);
  await broker.call(updateWebhook.name, { guildId: GUILD, id: other.id, enabled: false });
  await broker.call(createWebhook.name, params);
  // No calendar is there, so that the reads fail.
  await broker.call(followCalendar.name, { guildId: FOLLOWING_GUILD, calendarNumber: 1, url: receiver.url });
  const stopped = new AbortController();

  async function useIt(): Promise<void> {
    while (!stopped.signal.aborted) {
      const startsAt = Date.now() + EVERY_MS;
      const event = { guildId: GUILD, calendarNumber: 1, name: "raid", startsAt, endsAt: startsAt + EVERY_MS };
      await broker.call(createEvent.name, event).catch(() => undefined);
      await broker.call(listWebhooks.name, { guildId: GUILD }).catch(() => undefined);
      await pause(EVERY_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  }
  const using = useIt();
  return {
    async stop() {
      stopped.abort();
      await using;
      await receiver.close();
    },
  };
}
