import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { ServiceBroker } from "moleculer";
import { serve } from "../../mixins/actions/contract-action.ts";
import { natsTransporterOf } from "../../mixins/bus/nats-transporter.ts";
import { brokerOptions } from "../../moleculer.config.ts";
import { findEvent } from "../../services/contracts/event-references.contract.ts";
import { refuse, type Refusal } from "../../services/contracts/errors.ts";
import type { GuildId } from "../../services/contracts/ids.ts";
import { type EmbeddedNats, startNatsWithUsers } from "../../services/launch/embedded/embedded-nats.ts";
import { type TemporaryNatsUsers, temporaryNatsUsers } from "../../services/launch/permissions/nats-users.ts";
import { until } from "../harness/until.ts";
import type { ServiceName } from "../../services/contracts/service-names.ts";

const params = { guildId: "7" as GuildId, eventId: "e" };

describe("a call on a bus with a user for each service", () => {
  let server: EmbeddedNats;
  let users: TemporaryNatsUsers;
  let caller: ServiceBroker;
  let replicas: ServiceBroker[];
  /** The replicas that received a call, in order. */
  let called: ServiceBroker[];
  let handle: (replica: ServiceBroker) => Promise<null | Refusal>;
  let natsLog = "";

  beforeAll(async () => {
    users = temporaryNatsUsers();
    server = await startNatsWithUsers(users, 0, (line) => {
      natsLog += `${line}\n`;
    });
  });
  afterAll(() => server.stop());

  beforeEach(async () => {
    called = [];
    caller = newBroker("announcements", "caller");
    replicas = ["one", "two"].map((name) => {
      const replica = newBroker("calendar-events", name);
      const serveCall = () => (called.push(replica), handle(replica));
      replica.createService({ name: "calendar-events", actions: serve(findEvent, serveCall) });
      return replica;
    });
    await Promise.all([caller, ...replicas].map((broker) => broker.start()));
    await caller.waitForServices("calendar-events", 60_000, 20);
  });
  afterEach(() => Promise.all([caller, ...replicas].map((broker) => broker.stop())));

  function newBroker(service: ServiceName, name: string): ServiceBroker {
    const natsUrl = users.urlOf(service, server.port);
    const options = brokerOptions({ nodeId: `${service}.${name}`, natsUrl, logLevel: "fatal" });
    return new ServiceBroker({ ...options, logger: false, tracking: { enabled: false } });
  }

  test("is performed by the other replica if one is killed while it serves the call", async () => {
    handle = async (replica) => {
      if (called.length > 1) return null;
      await natsTransporterOf(replica)?.loseConnection();
      return new Promise(() => undefined);
    };
    await expect(caller.call(findEvent.name, params)).resolves.toBeNull();
    expect(called).toHaveLength(2);
    expect(called[1]).not.toBe(called[0]);
    expect(natsLog).not.toContain("Publish Violation");
  });

  test("that fails with UNAVAILABLE is retried, and the NATS server allows the retry", async () => {
    handle = async () => (called.length < 3 ? refuse("UNAVAILABLE") : null);
    await expect(caller.call(findEvent.name, params)).resolves.toBeNull();
    expect(called).toHaveLength(3);
    expect(natsLog).not.toContain("Publish Violation");
  });

  test("that a stopping replica refuses is sent to the other one", async () => {
    handle = async () => null;
    const [stopping] = replicas as [ServiceBroker];
    Object.assign(stopping, { stopping: true });
    const calls = Array.from({ length: 20 }, () => caller.call(findEvent.name, params));
    await expect(Promise.all(calls)).resolves.toEqual(Array.from({ length: 20 }, () => null));
    expect(new Set(called)).toEqual(new Set([replicas[1]]));
    expect(natsLog).not.toContain("Publish Violation");
    Object.assign(stopping, { stopping: false });
  });

  test("to the subject of one node would be refused, according to the NATS server's log", async () => {
    handle = async () => null;
    const call = caller.call(findEvent.name, params, { nodeID: "calendar-events.one", timeout: 100, retries: 0 });
    await expect(call).rejects.toMatchObject({ code: 504 });
    await until(() => natsLog.includes("Publish Violation"), "the refusal in the server's log");
  });
});
