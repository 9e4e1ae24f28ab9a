import { setTimeout as pause } from "node:timers/promises";
import type { Connection } from "mongoose";
import { withoutSuffix } from "../../../../mixins/bus/node-id.ts";
import { STANDARD_TIMING } from "../../../../services/dispatch/protocol/timing.ts";
import type { Feed } from "../../../../services/dispatch/protocol/feeds.ts";
import type { Cluster } from "../cluster.ts";
import { untilInstant } from "../faults/fault.ts";
import type { ReplicaName } from "../replicas.ts";
import type { Outage } from "./records.ts";

/** The processes to kill, one after the other; "sender" is the replica with a post or an edit in flight. */
const VICTIMS = [
  "sender",
  "calendar-events",
  "sender",
  "nats-server",
  "sender",
  "announcements",
  "both replicas",
  "guild-settings",
] as const;
const EVERY_MS = 9_000;
const NATS_GONE_MS = 2_000;
/** Time in which a post or an edit is to be due. */
const IN_FLIGHT_WITHIN_MS = 6_000;
const YOUNG_LEASE_MS = STANDARD_TIMING.leaseMs - 1_500;

/**
 * Kills processes until an instant, and returns their number. Adds each time without the bus or an owner to the outages.
 *
 * @param print - Gets a line for each process when it is back.
 */
export async function killProcesses(
  cluster: Cluster,
  database: Connection,
  until: number,
  outages: Outage[],
  print: (line: string) => void,
): Promise<number> {
  let kills = 0;
  while (Date.now() < until) {
    const next = Date.now() + EVERY_MS;
    const victim = VICTIMS[kills % VICTIMS.length] as (typeof VICTIMS)[number];
    await kill(victim);
    kills += 1;
    const tookMs = Date.now() + EVERY_MS - next;
    print(`  ${Math.round((until - Date.now()) / 1_000)} s are left: ${victim} killed and back after ${tookMs} ms\n`);
    await untilInstant(Math.min(next, until));
  }
  return kills;

  async function kill(victim: (typeof VICTIMS)[number]): Promise<void> {
    if (victim === "sender") return replace([await senderOf(cluster, database)]);
    if (victim === "both replicas") return replace(cluster.names);
    const outage: Outage = { from: Date.now(), until: Infinity };
    outages.push(outage);
    if (victim === "nats-server") {
      await cluster.killNats();
      await pause(NATS_GONE_MS);
      await cluster.restartNats();
    } else {
      await cluster.replaceOwner(victim satisfies Feed);
    }
    outage.until = Date.now();
  }

  async function replace(names: readonly ReplicaName[]): Promise<void> {
    await Promise.all(names.map((name) => cluster.replicas.kill(name)));
    await Promise.all(names.map((name) => cluster.replicas.start(name)));
  }
}

/** The replica whose request the chat server has performed, and does not respond to; any replica if nothing is due. */
async function senderOf({ chat, names }: Cluster, database: Connection): Promise<ReplicaName> {
  chat.script({ kind: "silence", accepted: true });
  const deadline = Date.now() + IN_FLIGHT_WITHIN_MS;
  while (Date.now() < deadline) {
    const isHeld = { owner: { $type: "string" }, wakeAt: { $gt: new Date(Date.now() + YOUNG_LEASE_MS) } } as const;
    const post = await database.collection("posts").findOne(isHeld);
    if (post !== null) {
      // The request is in flight by then, also one that is not the silent one.
      await pause(50);
      return withoutSuffix(String(post["owner"])).replace("dispatch.", "") as ReplicaName;
    }
    await pause(10);
  }
  return names[0] as ReplicaName;
}
