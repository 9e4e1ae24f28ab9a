import type { GuildcalClient } from "../../../../clients/http/src/index.ts";
import { WEBHOOK_TYPES } from "../../../../services/contracts/webhooks.contract.ts";
import type { DeliveryReceiver } from "./delivery-receiver.ts";
import { untilAcknowledged, type WrittenGuild } from "./write-changes.ts";

/** A guild with its key, and its two webhooks: one that stays, and one that ends while the guild is written. */
export interface Guild extends WrittenGuild {
  readonly key: string;
  readonly stays: string;
  readonly ends: string;
  readonly endingId: string;
  /** Events that only late writes change. */
  readonly lateEvents: readonly string[];
  endedAt: number;
}

/** The types that report changes. Occurrences that start or end are no changes. */
const TYPES = WEBHOOK_TYPES.filter((type) => !type.startsWith("occurrence."));
const POSTS = 5;
const POSTS_FROM_MS = 60_000;
const LATE_WRITES = 5;
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

/** Creates a guild with two webhooks, an announcement, and events whose posts come due in a minute. */
export async function newGuild(client: GuildcalClient, receiver: DeliveryReceiver, at: number): Promise<Guild> {
  const guildId = String(7_000 + at);
  const label = { label: "changes", access: "write", kind: "guild" } as const;
  const { key } = (await client.request("/admin/keys/create", { ...label, guilds: [guildId] })).data;
  const rule = { channel: "1", type: "UNIVERSAL", hours: 0, minutes: 0, info: "" } as const;
  const { id: announcementId } = (await client.request("/v1/announcement/create", { guild_id: guildId, ...rule })).data;
  const [stays, ends] = [`${guildId}-stays`, `${guildId}-ends`];
  const hook = async (name: string) => {
    const url = receiver.urlOf(name);
    const { data } = await client.request("/v2/webhooks/create", { guild_id: guildId, url, types: TYPES });
    receiver.expect(name, data.secret);
    return data.id;
  };
  await hook(stays);
  const endingId = await hook(ends);
  const from = Date.now() + POSTS_FROM_MS;
  const create = (epoch_start: number) =>
    client.request("/v2/events/create", {
      guild_id: guildId,
      calendar_number: 1,
      epoch_start,
      epoch_end: epoch_start + HOUR_MS,
    });
  for (let n = 0; n < POSTS; n += 1) await create(from + n * 1_000);
  const lateEvents: string[] = [];
  for (let n = 0; n < LATE_WRITES; n += 1) lateEvents.push((await create(from + YEAR_MS)).data.id);
  return { guildId, announcementId, key, stays, ends, endingId, lateEvents, endedAt: Infinity };
}

/** Deletes or disables the ending webhook of a guild. */
export async function endWebhook(client: GuildcalClient, guild: Guild): Promise<void> {
  const webhook = { guild_id: guild.guildId, id: guild.endingId };
  const isDeleted = Number(guild.guildId) % 2 === 0;
  await untilAcknowledged(() =>
    isDeleted
      ? client.request("/v2/webhooks/delete", webhook)
      : client.request("/v2/webhooks/update", { ...webhook, enabled: false }),
  );
  guild.endedAt = performance.now();
}
