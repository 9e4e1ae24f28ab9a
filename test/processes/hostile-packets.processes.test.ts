import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ServiceBroker } from "moleculer";
import { connect, type NatsConnection } from "nats";
import { replicasOf } from "../../mixins/bus/service-registry.ts";
import { brokerOptions } from "../../moleculer.config.ts";
import { getGuildSettings } from "../../services/contracts/guild-settings.contract.ts";
import type { GuildId } from "../../services/contracts/ids.ts";
import { type EmbeddedNats, startNatsWithUsers } from "../../services/launch/embedded/embedded-nats.ts";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { type TemporaryNatsUsers, temporaryNatsUsers } from "../../services/launch/permissions/nats-users.ts";
import { GuildcalProcess } from "../harness/guildcal-process.ts";
import { emptyDatabase } from "../harness/test-services.ts";
import { until } from "../harness/until.ts";

interface Codec {
  encode(value: unknown): Buffer;
}
const { Encoder } = createRequire(import.meta.url)("cbor-x") as { Encoder: new (options: object) => Codec };
const encoder = new Encoder({ useRecords: false, useTag259ForMaps: false });

const PREFIX = "MOL-guildcal";
/** The maximum payload of the NATS server. */
const LARGE = 600 * 1024;
/** For each of these, the decoder without checks takes minutes, uses all memory, or compiles code. */
const TRAPS: Readonly<Record<string, Buffer>> = {
  "a big number": Buffer.concat([Buffer.from("a16161c25a", "hex"), uint32(LARGE), Buffer.alloc(LARGE, 0xff)]),
  "arrays within arrays": Buffer.concat([Buffer.from("a16161", "hex"), Buffer.alloc(LARGE, 0x81), Buffer.from([0])]),
  "half a million maps": Buffer.concat([Buffer.from("a161619a", "hex"), uint32(LARGE), Buffer.alloc(LARGE, 0xa0)]),
  "an array of four thousand million": Buffer.from("a161619affffffff", "hex"),
  "a record": Buffer.from("a16161d9dfff8319e00081616101", "hex"),
  "no packet": Buffer.alloc(LARGE, 0x20),
  nothing: Buffer.alloc(0),
};

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

describe("a process on a bus with an attacker who has another service's user", () => {
  let server: EmbeddedNats;
  let users: TemporaryNatsUsers;
  let victim: GuildcalProcess;
  let probes: string;
  let caller: ServiceBroker;
  let attacker: NatsConnection;
  let victimId: string;

  beforeAll(async () => {
    users = temporaryNatsUsers();
    server = await startNatsWithUsers(users);
    const probePort = await freePort(0);
    probes = `http://127.0.0.1:${probePort}`;
    victim = launch({ PROBE_PORT: String(probePort) });
    const options = brokerOptions({
      nodeId: "api.caller",
      natsUrl: users.urlOf("api", server.port),
      logLevel: "fatal",
    });
    caller = new ServiceBroker({ ...options, logger: false });
    await caller.start();
    await caller.waitForServices("guild-settings", 60_000, 20);
    [victimId] = knownProcesses() as [string];
    const { host, username: user, password: pass } = new URL(users.urlOf("api", server.port));
    attacker = await connect({ servers: host, user, pass });
  });
  afterAll(async () => {
    await attacker.close();
    await caller.stop();
    await victim.end("SIGKILL");
    await server.stop();
  });

  function launch(also: Readonly<Record<string, string>> = {}): GuildcalProcess {
    return new GuildcalProcess("guild-settings", {
      MONGO_URL: emptyDatabase(),
      NATS_URL: users.urlOf("guild-settings", server.port),
      NODE_NAME: "victim",
      LOG_LEVEL: "warn",
      ...also,
    });
  }

  function knownProcesses(): string[] {
    return replicasOf(caller, "guild-settings");
  }

  const readSettings = () => caller.call(getGuildSettings.name, { guildId: "7" as GuildId }, { timeout: 5_000 });
  const forged = (command: string, sender: string, fields: object) =>
    attacker.publish(`${PREFIX}.${command}`, encoder.encode({ ver: "5", sender, ...fields }));
  const dropped = async () => {
    const text = await fetch(`${probes}/metrics`).then((each) => each.text());
    return [...text.matchAll(/^guildcal_bus_refused_total\{packet="(\w+)",reason="([^"]*)"\} (\d+)$/gm)];
  };

  const droppedRequests = async () => {
    const ofRequests = (await dropped()).filter(([, packet]) => packet === "REQ");
    return ofRequests.reduce((sum, [, , , times]) => sum + Number(times), 0);
  };

  test.each(Object.keys(TRAPS))("still responds after %s on every subject that it subscribes to", async (trap) => {
    const before = await droppedRequests();
    const toAll = ["INFO", "HEARTBEAT", "DISCOVER", "DISCONNECT", "PING"];
    const toIt = ["INFO", "DISCOVER", "PING", "PONG"].map((command) => `${command}.${victimId}`);
    for (const subject of [...toAll, ...toIt, `REQB.${getGuildSettings.name}`]) {
      attacker.publish(`${PREFIX}.${subject}`, TRAPS[trap]);
    }
    await attacker.flush();
    await expect(readSettings()).resolves.toMatchObject({ prefix: "!" });
    expect(victim.hasEnded).toBe(false);
    expect(await droppedRequests()).toBe(before + 1);
  });

  test("continues when another process uses its node id, and logs that a few times, not each time", async () => {
    for (let at = 0; at < 500; at += 1) {
      forged("INFO", victimId, { instanceID: `forged-${at}`, services: [], seq: at });
      forged("INFO", victimId, { instanceID: 7, services: "none" });
      forged("INFO", `guild-settings.${"x".repeat(400)}`, { instanceID: "", services: [] });
      forged("INFO", "no > subject *", {});
      forged("HEARTBEAT", victimId, { instanceID: {} });
    }
    await attacker.flush();
    const counts = async () =>
      new Map((await dropped()).map(([, packet, reason, times]) => [`${packet} ${reason}`, times]));
    await until(
      async () => Number((await counts()).get("INFO this process's own node id")) >= 500,
      "all packets are counted",
    );
    expect(victim.hasEnded).toBe(false);
    expect(victim.output).toContain("a packet from the bus was dropped");
    expect(victim.output.split("\n").length).toBeLessThan(60);
  });

  test.each([
    ["has disconnected", "DISCONNECT", {}],
    ["is a new instance without services", "INFO", { instanceID: "forged", services: [], seq: 1_000_000 }],
    ["has a later version without services", "INFO", { services: [], seq: 1_000_000 }],
  ])("is known again after its next heartbeat if a forged packet says that it %s", async (_, command, fields) => {
    await until(() => knownProcesses().includes(victimId), "the process is known");
    const { instanceID } = caller.registry.nodes.get(victimId);
    const lost: unknown[] = [];
    const onLost = (event: unknown) => lost.push(event);
    caller.localBus.on("$node.disconnected", onLost);
    forged(command, victimId, { instanceID, ...fields });
    await attacker.flush();
    await until(() => !knownProcesses().includes(victimId), "the forged packet has an effect");
    await until(() => knownProcesses().includes(victimId), "the process is known again");
    caller.localBus.off("$node.disconnected", onLost);
    // By a heartbeat: without one the process would be taken for lost, seconds later, and then be known as a new one.
    expect(lost).toHaveLength(command === "DISCONNECT" ? 1 : 0);
    await expect(readSettings()).resolves.toMatchObject({ prefix: "!" });
  });

  test("knows at most a thousand other processes, and knows new ones soon after a flood of invented ones", async () => {
    for (let at = 0; at < 1_500; at += 1) {
      forged("INFO", `made.up-${at}`, { instanceID: `${at}`, services: [], seq: 1, config: {}, ipList: [] });
    }
    await attacker.flush();
    await until(
      async () => (await dropped()).some(([, , reason]) => reason === "too many nodes"),
      "the limit is reached",
    );
    await expect(readSettings()).resolves.toMatchObject({ prefix: "!" });
  });

  test("serves beside a replica with the same NODE_NAME, and logs the problem", async () => {
    const namesake = launch();
    try {
      await until(() => knownProcesses().length === 2, "both processes are known", 30_000);
      await expect(Promise.all(Array.from({ length: 20 }, readSettings))).resolves.toHaveLength(20);
      await until(() => victim.output.includes("another process has the same NODE_NAME"), "the warning");
      expect([victim.hasEnded, namesake.hasEnded]).toEqual([false, false]);
    } finally {
      await namesake.end("SIGKILL");
    }
  });

  test("a request that is too large for the bus fails at once, with the reason", async () => {
    const tooLarge = caller.call(getGuildSettings.name, { guildId: "7".repeat(200_000) as GuildId });
    await expect(tooLarge).rejects.toMatchObject({ type: "REQUEST_TOO_LARGE" });
  });
});
