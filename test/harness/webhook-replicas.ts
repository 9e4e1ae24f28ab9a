import mongoose from "mongoose";
import { isRefusal, refuse } from "../../services/contracts/errors.ts";
import type { EncodedChange } from "../../services/contracts/guild-changes.contract.ts";
import type { GuildId } from "../../services/contracts/ids.ts";
import type { WebhookType } from "../../services/contracts/webhooks.contract.ts";
import type { OutgoingRequest, QueuePorts, SendResult } from "../../services/webhooks/protocol/ports.ts";
import { LEASE_MS, visitQueue } from "../../services/webhooks/protocol/visit-queue.ts";
import { secretBox } from "../../services/webhooks/secret-box.ts";
import { deliveriesStore } from "../../services/webhooks/store/deliveries.store.ts";
import { webhooksStore } from "../../services/webhooks/store/webhooks.store.ts";
import { webhookManagement } from "../../services/webhooks/webhook-management.ts";
import { emptyDatabase } from "./test-services.ts";

export const GUILD = "375357265198317579" as GuildId;

/** Replicas of the webhooks service on a real MongoDB, with changes, receivers and a clock of the test. */
export async function startReplicas() {
  const connection = mongoose.createConnection();
  const [webhooks, deliveries] = [webhooksStore(connection), deliveriesStore(connection)];
  await connection.openUri(emptyDatabase(), { writeConcern: { w: "majority" }, readConcernLevel: "majority" });
  for (const model of Object.values(connection.models)) await model.createIndexes();

  const time = { now: Date.now() };
  const clock = { now: () => time.now };
  const secrets = secretBox("the key of the test");
  const management = webhookManagement({ webhooks, deliveries, secrets, clock, isAllowedUrl: () => true });
  const changes: EncodedChange[] = [];
  /** Tokens that the gateway does not know any more. */
  const expired = new Set<string>();
  const requests: { readonly syncToken?: string; readonly since?: number }[] = [];

  const ports = (send: (request: OutgoingRequest) => Promise<SendResult>): QueuePorts => ({
    clock,
    random: () => 0.5,
    webhooks,
    deliveries,
    secrets,
    send,
    async readChanges({ syncToken, since, limit }) {
      requests.push({ ...(syncToken === undefined ? {} : { syncToken }), ...(since === undefined ? {} : { since }) });
      if (syncToken !== undefined && expired.has(syncToken)) return refuse("SYNC_TOKEN_EXPIRED");
      const from = Number(syncToken ?? 0);
      const page = changes.slice(from, from + limit);
      const token = from + page.length;
      return {
        changes: page,
        syncToken: String(token),
        readAt: time.now,
        more: token < changes.length,
        isHeldBack: false,
      };
    },
    disable: async (webhook, reason) => void (await management.disable(webhook, reason)),
    reports: { attempted: () => undefined, failed: () => undefined },
  });

  return {
    webhooks,
    deliveries,
    management,
    time,
    changes,
    expired,
    requests,
    ports,
    connection,
    /** A new webhook, by default for all types of events. */
    async create(
      types: readonly WebhookType[] = ["event.created", "event.updated", "event.deleted"],
    ): Promise<{ guildId: GuildId; id: string }> {
      const created = await management.create({ guildId: GUILD, url: "https://bot.example/", types });
      if (isRefusal(created)) throw new Error(created.refusal);
      return { guildId: GUILD, id: created.id };
    },
    /** Visits every queue that is due now. Resolves with their number. */
    async visitDue(replica: QueuePorts): Promise<number> {
      const due = (await Promise.all([false, true].map((areDown) => webhooks.listDue(time.now, areDown, 10)))).flat();
      for (const each of due) {
        const claim = await webhooks.claim(each, time.now, time.now + LEASE_MS);
        if (claim !== undefined) await visitQueue(replica, claim, () => false);
      }
      return due.length;
    },
    stop: () => connection.close(),
  };
}
