import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import mongoose from "mongoose";
import { ATTEMPTS_PER_MINUTE, MAX_PENDING } from "../../../../services/webhooks/domain/delivery-queue.ts";
import { MAX_WEBHOOKS, WEBHOOK_TYPES } from "../../../../services/contracts/webhooks.contract.ts";
import type { GuildId } from "../../../../services/contracts/ids.ts";
import { startOnFilledDatabase } from "../filled-database.ts";
import { fillHourly } from "../hourly-events.ts";
import { startProcess } from "../load-process.ts";
import type { HostileRow } from "../row.ts";
import type { Behaviour } from "../webhook-receiver-process.ts";

const GUILD = "3851" as GuildId;
/** Changes that wait for each webhook when it is enabled. */
const EVENTS = 50_000;
const WEBHOOKS = 8;
const BEHAVIOURS: readonly Behaviour[] = ["hang", "slow", "refuse", "accept"];
const CHANGING_CLIENTS = 8;
/** Webhooks that the attack tries to create in addition. */
const FURTHER_WEBHOOKS = 20;
const MINUTE_MS = 60_000;
/** A queue reads a further page of changes while fewer than MAX_PENDING of its deliveries are pending. */
const MAX_PENDING_OF_GUILD = 2 * MAX_PENDING * WEBHOOKS;
const HOUR_MS = 3_600_000;
const TEXT = "x".repeat(1_000);

let receiver: ChildProcess;
let mongoUrl = "";
let port = 0;
let enabledAt = 0;
const webhooks: { readonly guild_id: string; readonly id: string }[] = [];

/** A guild with many changes enables webhooks whose endpoints hang, respond slowly, refuse, and accept. */
export const SLOW_WEBHOOKS: HostileRow = {
  name: "a guild with 50 000 changes has eight webhooks that hang, are slow, refuse and accept",
  settings: { WEBHOOKS_ALLOW_PRIVATE: "yes" },
  attackMs: 60_000,
  async start(env) {
    receiver = startProcess("webhook-receiver-process.ts", 15);
    const target = await startOnFilledDatabase(env, () => Promise.resolve());
    ({ mongoUrl } = target);
    const stop = async () => {
      await target.stop();
      receiver.disconnect();
    };
    return { ...target, stop };
  },
  async prepare({ ask }) {
    [port] = (await once(receiver, "message")) as [number];
    webhooks.length = 0;
    for (let at = 0; at < WEBHOOKS; at += 1) {
      const url = `http://127.0.0.1:${port}/${BEHAVIOURS[at % BEHAVIOURS.length]}/${at}`;
      const { id } = await ask<{ id: string }>("/v2/webhooks/create", {
        guild_id: GUILD,
        url,
        types: WEBHOOK_TYPES,
      });
      webhooks.push({ guild_id: GUILD, id });
      await ask("/v2/webhooks/update", { ...webhooks[at], enabled: false });
    }
    await fillHourly(mongoUrl, GUILD, EVENTS, TEXT);
  },
  async attack(stage, signal) {
    const key = await stage.createKey(GUILD);
    enabledAt = Date.now();
    for (const webhook of webhooks) await stage.ask("/v2/webhooks/update", { ...webhook, enabled: true });
    const times = { epoch_start: Date.now() + HOUR_MS, epoch_end: Date.now() + 2 * HOUR_MS };
    const change = async () => {
      const body = JSON.stringify({ guild_id: GUILD, calendar_number: 1, ...times });
      while (!signal.aborted) {
        const { status } = await stage.post("/v2/events/create", key, body);
        await pause(status === 200 ? 10 : 100);
      }
    };
    const create = (at: number) => {
      const webhook = {
        guild_id: GUILD,
        url: `http://127.0.0.1:${port}/refuse/${WEBHOOKS + at}`,
        types: WEBHOOK_TYPES,
      };
      return stage.post("/v2/webhooks/create", key, JSON.stringify(webhook));
    };
    await Promise.all([
      ...Array.from({ length: FURTHER_WEBHOOKS }, (_, at) => create(at)),
      ...Array.from({ length: CHANGING_CLIENTS }, change),
    ]);
  },
  async check() {
    const connection = await mongoose.createConnection(mongoUrl).asPromise();
    const filter = { guildId: GUILD, state: "pending" };
    const pending = await connection.collection("webhook_deliveries").countDocuments(filter);
    const created = await connection.collection("webhooks").countDocuments({ guildId: GUILD });
    await connection.close();
    receiver.send("requests");
    const [requests] = (await once(receiver, "message")) as [Readonly<Record<string, number>>];
    const minutes = Math.ceil((Date.now() - enabledAt) / MINUTE_MS);
    const busiest = Math.max(0, ...Object.values(requests));
    return [
      ...(pending <= MAX_PENDING_OF_GUILD ? [] : [`${pending} deliveries were pending`]),
      ...(created === MAX_WEBHOOKS ? [] : [`the guild has ${created} webhooks`]),
      ...(busiest <= minutes * ATTEMPTS_PER_MINUTE ? [] : [`a webhook got ${busiest} requests in ${minutes} minutes`]),
    ];
  },
  control: {
    name: "the limit of pending deliveries",
    without: ["no changes are read while many deliveries are pending"],
  },
};
