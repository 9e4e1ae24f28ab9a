import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import mongoose from "mongoose";
import { ServiceBroker } from "moleculer";
import { brokerOptions } from "../../moleculer.config.ts";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import {
  type Announcement,
  createAnnouncement,
  listAnnouncements,
} from "../../services/contracts/announcements.contract.ts";
import { findMongod } from "../../services/launch/embedded/mongod-binary.ts";
import { freePorts } from "../harness/free-ports.ts";
import { type MongoMember, newMongoMember, SET_NAME } from "../harness/mongo-member.ts";
import { until } from "../harness/until.ts";
import { removeFolder } from "../harness/remove-folder.ts";

const guildId = "1";
const fields = { guildId, channel: "1", type: "UNIVERSAL", hours: 0, minutes: 0 };

/** A broker with the announcements service on this member. A primary may need some seconds until it answers. */
async function started(host: string): Promise<ServiceBroker> {
  const mongoUrl = `mongodb://${host}/guildcal?directConnection=true`;
  let broker: ServiceBroker | undefined;
  const isStarted = async () => {
    broker = new ServiceBroker(brokerOptions({ nodeId: "a.test", natsUrl: undefined, logLevel: "fatal" }));
    broker.createService(announcementsService({ mongoUrl }));
    return broker.start().then(
      () => true,
      () => false,
    );
  };
  await until(isStarted, `the service reaches ${host}`, 120_000);
  return broker!;
}

/** Runs work with that service. */
async function withService<Result>(host: string, work: (broker: ServiceBroker) => Promise<Result>): Promise<Result> {
  const broker = await started(host);
  try {
    return await work(broker);
  } finally {
    await broker.stop();
  }
}

describe("a copy of a locked member's files (k8s/README.md, back up and restore)", () => {
  let directory: string;
  let members: readonly [MongoMember, MongoMember, MongoMember];
  const folderOf = ({ host }: MongoMember) => join(directory, `member-${host.split(":")[1]}`);
  const found = async (member: MongoMember) => {
    await member.start();
    await member.command({ replSetInitiate: { _id: SET_NAME, members: [{ _id: 0, host: member.host }] } });
    await until(async () => (await member.hello())?.isWritablePrimary === true, `${member.host} is primary`);
  };
  const create = (info: string) => (broker: ServiceBroker) => broker.call(createAnnouncement.name, { ...fields, info });
  const list = (broker: ServiceBroker) =>
    broker.call<Announcement[], object>(listAnnouncements.name, { guildId, amount: -1 });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-restore-"));
    const { binary } = await findMongod(directory);
    const ports = (await freePorts(2)) as [number, number];
    const member = (port: number, set?: string) => newMongoMember(binary?.path ?? "", port, directory, set);
    members = [member(ports[0]), member(ports[1], ""), member(ports[1])];
  });
  afterAll(async () => {
    await Promise.all(members.map((member) => member.stop()));
    await removeFolder(directory);
  });

  test("becomes a new replica set, with the writes before the copy and none after it", async () => {
    const [lived, alone, restored] = members;
    await found(lived);
    await withService(lived.host, create("before"));

    await lived.command({ fsync: 1, lock: true });
    await cp(folderOf(lived), folderOf(restored), { recursive: true });
    await rm(join(folderOf(restored), "mongod.lock"));
    await lived.command({ fsyncUnlock: 1 });
    await withService(lived.host, create("after"));

    await alone.start();
    const connection = await mongoose
      .createConnection(`mongodb://${alone.host}/local?directConnection=true`)
      .asPromise();
    await connection.dropDatabase();
    // A member that finds the keys of a set signs its responses with them, and waits until a primary renews them.
    await connection.getClient().db("admin").collection("system.keys").deleteMany({});
    await connection.close();
    // The member ends during the command.
    await alone.command({ shutdown: 1 }).catch(() => undefined);
    await alone.stop();
    await found(restored);
    const infos = (await withService(restored.host, list)).map(({ info }) => info);
    expect(infos).toEqual(["before"]);
    // The set accepts writes, and continues the numbers of the copy.
    await withService(restored.host, create("restored"));
    expect((await withService(restored.host, list)).map(({ info }) => info)).toEqual(["before", "restored"]);
    expect((await withService(lived.host, list)).map(({ info }) => info)).toEqual(["before", "after"]);
  });
});
