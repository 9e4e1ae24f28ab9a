import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { connect, nkeyAuthenticator, type NatsConnection } from "nats";
import { newWriteId } from "../../mixins/mongo/write-id.ts";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { GuildcalProcess, PROJECT } from "../harness/guildcal-process.ts";
import { type MoleculerPackage, OutsideService, type OutsideSettings } from "../harness/outside-service.ts";
import { until } from "../harness/until.ts";
import { removeFolder } from "../harness/remove-folder.ts";

const run = promisify(execFile);
const OWN = "375357265198317579";
const SECOND = "375357265198317580";
const OTHER = "375357265198317581";

interface Made {
  readonly name: string;
  readonly namespace: string;
  readonly seed: string;
}

const event = (guildId: string) => ({
  guildId,
  calendarNumber: 1,
  name: "Raid night",
  startsAt: 4_000_000_000_000,
  endsAt: 4_000_003_600_000,
});

describe("a service of another project, on the bus of npm run start:nats", () => {
  let directory: string;
  let env: Record<string, string>;
  let guildcal: GuildcalProcess;
  let natsUrl: string;
  const services: OutsideService[] = [];
  const connections: NatsConnection[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-bus-users-"));
    env = { PATH: process.env["PATH"]!, DATA_DIR: directory, PORT: String(await freePort(0)) };
    guildcal = new GuildcalProcess("nats", env);
    await guildcal.printed(/guildcal is ready/);
    [, natsUrl = ""] = await guildcal.printed(/Services of bus users join at (\S+)/);
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.end()));
    await Promise.all(connections.map((connection) => connection.close()));
    await guildcal.end();
    await removeFolder(directory);
  });

  const busUsers = async (...words: string[]) => {
    const script = join(PROJECT, "services/launch/start.js");
    return (await run(process.execPath, [script, "bus-users", ...words], { env })).stdout;
  };
  const make = async (name: string, ...words: string[]) =>
    JSON.parse(await busUsers("create", "--json", "--name", name, ...words)) as Made;

  /** NATS accepts the user as soon as a gateway has read it from the database. */
  async function setUsers({ seed }: Pick<Made, "seed">): Promise<NatsConnection> {
    let client: NatsConnection | undefined;
    const authenticator = nkeyAuthenticator(Buffer.from(seed));
    const tryOnce = async () => {
      client = await connect({ servers: natsUrl, authenticator, reconnect: false }).catch(() => undefined);
      return client !== undefined;
    };
    await until(tryOnce, "NATS accepts the user", 15_000, 100);
    connections.push(client!);
    return client!;
  }

  async function joined(
    made: Made,
    { moleculer = "moleculer", joins = "documented" }: Partial<Pick<OutsideSettings, "moleculer" | "joins">>,
  ): Promise<OutsideService> {
    await setUsers(made);
    const service = await OutsideService.start({ ...made, moleculer, natsUrl, joins });
    services.push(service);
    await service.reaches("guild-settings.get", { guildId: OWN });
    return service;
  }

  test.each<[MoleculerPackage, string]>([
    ["moleculer", "shop-bot"],
    ["moleculer-0-14", "older-bot"],
  ])(
    "a plain %s reads, writes and gets the events of its writes, by the code in docs/nats.md",
    async (moleculer, name) => {
      const service = await joined(await make(name, "--access", "write"), { moleculer });
      const { result } = await service.call("calendar-events.create", event(OWN));
      expect(result).toMatchObject({ eventId: expect.stringMatching(/^e[a-v0-9]{25}$/), revision: "1" });
      const { eventId } = result as { readonly eventId: string };
      const reference = { guildId: OWN, calendarNumber: 1, eventId };
      await expect(service.call("calendar-events.get", reference)).resolves.toMatchObject({
        result: { eventId, name: "Raid night", startsAt: 4_000_000_000_000 },
      });
      // Moleculer 0.14 publishes its event subscriptions a second after its start.
      const isReceived = async () => {
        await service.call("calendar-events.update", { ...reference, name: "Raid evening" });
        return service.events.length > 0;
      };
      await until(isReceived, "an event", 15_000, 200);
      expect(service.events[0]).toMatchObject({
        eventName: "calendar-event.changed",
        params: { guildId: OWN, eventId },
      });
    },
  );

  test("gets the errors of the table, with every bad field", async () => {
    const [service] = services as [OutsideService];
    const problems = [expect.objectContaining({ field: "startsAt", code: "REQUIRED" })];
    const { startsAt: _, ...incomplete } = event(OWN);
    await expect(service.call("calendar-events.create", incomplete)).resolves.toMatchObject({
      error: { type: "INVALID_REQUEST", code: 400, data: { problems } },
    });
    await expect(service.call("calendar-events.create", event(OWN), { meta: { writeId: "1" } })).resolves.toMatchObject(
      { error: { type: "INVALID_REQUEST", data: { problems: [{ field: "meta.writeId" }] } } },
    );
  });

  test("a write that is repeated with its id is stored once, and another user's write with that id is a different one", async () => {
    const [one, other] = services as [OutsideService, OutsideService];
    const options = { meta: { writeId: newWriteId() } };
    const first = await one.call("calendar-events.create", event(OWN), options);
    const again = await one.call("calendar-events.create", event(OWN), options);
    const others = await other.call("calendar-events.create", event(OWN), options);
    expect(first.result).toEqual(again.result);
    expect(others.result).toMatchObject({ revision: "1" });
    expect(others.result).not.toEqual(first.result);
  });

  describe("with the packed contracts, and access to read two guilds", () => {
    let made: Made;
    let service: OutsideService;

    beforeAll(async () => {
      made = await make("reader", "--access", "read", "--guild", OWN, "--guild", SECOND);
      service = await joined(made, { joins: "packed contracts" });
    });

    test("reads only these guilds, and cannot pretend to be another caller", async () => {
      for (const guildId of [OWN, SECOND]) {
        await expect(service.call("guild-settings.get", { guildId })).resolves.toMatchObject({ result: { guildId } });
      }
      const operator = { keyId: "k", kind: "operator", access: "write", guilds: [] };
      for (const meta of [{}, { caller: operator }, { caller: undefined }, { caller: null }]) {
        await expect(service.call("guild-settings.get", { guildId: OTHER }, { meta })).resolves.toMatchObject({
          error: { type: "FORBIDDEN", code: 403 },
        });
      }
    });

    test("reads the changes of that guild from the gateway, which serves some actions itself", async () => {
      const read = await service.call("api.listChanges", { guildId: OWN });
      expect(read).toMatchObject({ result: { changes: expect.any(Array), syncToken: expect.any(String) } });
      await expect(service.call("api.listChanges", { guildId: OTHER })).resolves.toMatchObject({
        error: { type: "FORBIDDEN" },
      });
    });

    test("gets only events of these guilds", async () => {
      const [writer] = services as [OutsideService];
      service.events.length = 0;
      await writer.call("guild-settings.update", { guildId: OTHER, prefix: "?" });
      for (const guildId of [OWN, SECOND]) await writer.call("guild-settings.update", { guildId, prefix: "?" });
      await until(() => service.events.length > 1, "the events");
      expect(service.events.map(({ params }) => params["guildId"])).toEqual([OWN, SECOND]);
    });

    test("finds no writing action, no operator action, and no internal action", async () => {
      for (const action of ["guild-settings.update", "api.listKeys", "announcements.listRules", "dispatch.health"]) {
        await expect(service.call(action, { guildId: OWN })).resolves.toMatchObject({
          error: { type: "SERVICE_NOT_FOUND" },
        });
      }
    });

    test.each([
      ["publish", "MOL-guildcal.REQB.guild-settings.update"],
      ["publish", "MOL-guildcal.INFO"],
      ["publish", "MOL-guildcal-bus.shop-bot.REQB.guild-settings.update"],
      ["publish", "MOL-guildcal-bus.reader.REQB.guild-settings.update"],
      ["publish", "MOL-guildcal-bus.reader.RES.any"],
      ["publish", "_INBOX.any"],
      ["subscription", "MOL-guildcal.>"],
      ["subscription", "MOL-guildcal-bus.shop-bot.>"],
      ["subscription", "MOL-guildcal-bus.*.RES.>"],
      ["subscription", ">"],
    ])("is refused a %s of %s by NATS", async (operation, subject) => {
      const client = await setUsers(made);
      const refused: string[] = [];
      void (async () => {
        for await (const { permissionContext } of client.status()) {
          if (permissionContext !== undefined) {
            refused.push(`${permissionContext.operation} ${permissionContext.subject}`);
          }
        }
      })();
      if (operation === "publish") client.publish(subject, "x");
      else client.subscribe(subject, { callback: () => undefined });
      await client.flush();
      await until(() => refused.length > 0, "the refusal");
      expect(refused).toEqual([`${operation} ${subject}`]);
    });

    test("loses its calls, events and connection when it is revoked, and other users do not", async () => {
      const client = await setUsers(made);
      expect(await busUsers("revoke", "reader")).toContain("reader is revoked");
      const isRefused = async () => (await service.call("guild-settings.get", { guildId: OWN })).error !== undefined;
      await until(isRefused, "the calls are refused", 10_000);
      await until(() => client.isClosed(), "the connection is closed", 10_000);
      await expect(
        connect({ servers: natsUrl, authenticator: nkeyAuthenticator(Buffer.from(made.seed)), reconnect: false }),
      ).rejects.toMatchObject({ code: "AUTHORIZATION_VIOLATION" });
      service.events.length = 0;
      const [writer] = services as [OutsideService];
      writer.events.length = 0;
      await expect(writer.call("guild-settings.update", { guildId: OWN, prefix: "!" })).resolves.toMatchObject({
        result: { prefix: "!" },
      });
      await until(() => writer.events.length > 0, "the event at another user");
      expect(service.events).toEqual([]);
      expect(await busUsers("list")).toMatch(
        /^reader {2}revoked \S+ by npm run bus-users, .* {2}read {2}guilds 375357265198317579,375357265198317580 /m,
      );
    });
  });

  test.each([
    [["create", "--name", "Shop", "--access", "write"], "name must be 1 to 40 lower-case letters"],
    [["create", "--name", "x", "--access", "all"], "access must be one of read, write"],
    [["create", "--name", "x", "--access", "read", "--guild", "0"], "guilds[0] must be an integer from 1"],
    [["create", "--name", "shop-bot", "--access", "read"], "The name shop-bot was used before"],
    [["revoke", "nobody"], 'There is no bus user "nobody"'],
    [["dance"], "npm run bus-users -- list"],
  ])("npm run bus-users -- %p prints the error, and ends with exit code 1", async (words, expected) => {
    await expect(busUsers(...words)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(expected) as unknown,
    });
  });

  test("no seed is printed, and the users in the manifests have only the public keys of existing users", async () => {
    const conf = await busUsers("users-conf");
    expect(conf.match(/nkey: U[A-Z2-7]{55} # .*/g)?.map((line) => line.slice(65))).toEqual(["older-bot", "shop-bot"]);
    const listed = JSON.parse(await busUsers("list", "--json")) as Record<string, unknown>[];
    expect(listed.map(({ name }) => name)).toEqual(["older-bot", "reader", "shop-bot"]);
    for (const text of [conf, JSON.stringify(listed), guildcal.output]) expect(text).not.toMatch(/\bS[A-Z2-7]{57}\b/);
    expect(guildcal.output).not.toContain("refused by the NATS server");
  });
});
