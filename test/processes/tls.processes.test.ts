import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { type EmbeddedNats, startNats } from "../../services/launch/embedded/embedded-nats.ts";
import { findMongod } from "../../services/launch/embedded/mongod-binary.ts";
import { freePorts } from "../harness/free-ports.ts";
import { type GuildcalProcess, PROJECT } from "../harness/guildcal-process.ts";
import { type MongoShards, startMongoShards } from "../harness/mongo-shards.ts";
import { type MongoMember, newMongoMember, SET_NAME } from "../harness/mongo-member.ts";
import { startProbedService } from "../harness/probed-service.ts";
import { removeFolder } from "../harness/remove-folder.ts";
import { until } from "../harness/until.ts";

const FIXTURES = join(PROJECT, "test/fixtures/tls");
const AUTHORITY = join(FIXTURES, "ca.crt");
const COMPONENT = join(PROJECT, "k8s/components/tls");

describe("a service with MongoDB and NATS as k8s/components/tls starts them", () => {
  let folder: string;
  let mongod: MongoMember;
  let shards: MongoShards | undefined;
  let nats: EmbeddedNats;
  let withoutTls: EmbeddedNats;
  const services: GuildcalProcess[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "guildcal-tls-"));
    mongod = await startMongodWithTls(folder);
    const configuration = join(folder, "nats.conf");
    await writeFile(configuration, await tlsBlockOfNats());
    nats = await startNats(0, ["--config", configuration]);
    withoutTls = await startNats(0);
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.end("SIGKILL")));
    await Promise.all([mongod.stop(), shards?.stop(), nats.kill("SIGKILL"), withoutTls.kill("SIGKILL")]);
    await removeFolder(folder);
  });

  async function startService(env: Record<string, string>, tls = "true") {
    const started = await startProbedService("guild-settings", {
      MONGO_URL: `mongodb://${mongod.host}/tls?replicaSet=${SET_NAME}&tls=${tls}`,
      NATS_URL: `tls://127.0.0.1:${nats.port}`,
      ...env,
    });
    services.push(started.service);
    return started;
  }

  test("is ready if it trusts their authority", async () => {
    const { isReady } = await startService({ NODE_EXTRA_CA_CERTS: AUTHORITY });
    await expect(until(isReady, "the service is ready")).resolves.toBeUndefined();
  });

  test("is ready behind routers of shards if it trusts their authority, and is refused by them without TLS", async () => {
    const tls = { options: await tlsOptionsOfMongodb(), authority: AUTHORITY };
    shards = await startMongoShards(folder, { guild_settings: { _id: "hashed" } }, 1, tls);
    const trusting = { NODE_EXTRA_CA_CERTS: AUTHORITY, MONGO_URL: `${shards.url}?tls=true` };
    const { isReady } = await startService(trusting);
    await expect(until(isReady, "the service is ready")).resolves.toBeUndefined();
    const { service } = await startService({ ...trusting, MONGO_URL: shards.url });
    await service.printed(/MongoDB is unreachable at 127\.0\.0\.1:\d+: no response in 5 seconds: connection .* closed/);
  });

  test("refuses MongoDB without the authority, and says so", async () => {
    const { service, isReady } = await startService({});
    await service.printed(/MongoDB is unreachable at .*: self-signed certificate in certificate chain/);
    expect(await isReady()).toBe(false);
  });

  test("refuses NATS without the authority, and says so", async () => {
    const { service, isReady } = await startService({ MONGO_URL: process.env["TEST_MONGO_URL"]! });
    await service.printed(/NATS is unreachable at .*: unable to verify the first certificate/);
    expect(await isReady()).toBe(false);
  });

  test("refuses a NATS server without TLS by tls:// in its URL", async () => {
    const plain = { NATS_URL: `tls://127.0.0.1:${withoutTls.port}`, NODE_EXTRA_CA_CERTS: AUTHORITY };
    const { service, isReady } = await startService(plain);
    await service.printed(/NATS is unreachable at 127\.0\.0\.1:\d+: the server has no TLS/);
    expect(await isReady()).toBe(false);
  });

  test("is refused by MongoDB without TLS", async () => {
    const { service, isReady } = await startService({ NODE_EXTRA_CA_CERTS: AUTHORITY }, "false");
    await service.printed(/MongoDB is unreachable at 127\.0\.0\.1:\d+: no response in 5 seconds: connection .* closed/);
    expect(await isReady()).toBe(false);
  });
});

/** A replica set of one, with the TLS options of the manifest. */
async function startMongodWithTls(folder: string): Promise<MongoMember> {
  const options = await tlsOptionsOfMongodb();
  const { binary } = await findMongod(folder);
  const [port] = await freePorts(1);
  const trusted = { tls: true, tlsCAFile: AUTHORITY };
  const member = newMongoMember(binary!.path, port!, folder, SET_NAME, options, trusted);
  await member.start();
  await member.command({ replSetInitiate: { _id: SET_NAME, members: [{ _id: 0, host: member.host }] } });
  await until(async () => (await member.hello())?.isWritablePrimary === true, "a primary");
  return member;
}

async function tlsOptionsOfMongodb(): Promise<string[]> {
  const patch = await readFile(join(COMPONENT, "mongodb-options.patch.yaml"), "utf8");
  return (parse(patch) as { readonly value: string }[]).map(({ value }) => inFixtures(value));
}

/** The options for clients in the configuration of the component. */
async function tlsBlockOfNats(): Promise<string> {
  const configuration = await readFile(join(COMPONENT, "server.conf"), "utf8");
  const [block] = /^tls \{[^}]*\}$/m.exec(configuration) ?? [];
  return inFixtures(block!);
}

function inFixtures(text: string): string {
  return text.replaceAll(/\/run\/secrets\/(?:nats|mongodb)-tls/g, FIXTURES);
}
