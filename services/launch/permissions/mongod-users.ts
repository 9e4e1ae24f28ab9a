import { createHmac } from "node:crypto";
import { join } from "node:path";
import mongoose from "mongoose";
import { DATABASE, databasePrivileges } from "./database-privileges.ts";
import { storedSecret } from "../embedded/stored-secret.ts";
import { StartupError } from "../run/startup-error.ts";
import { type ServiceName, SERVICES } from "../../contracts/service-names.ts";

const { MongoClient, MongoNetworkError, MongoServerError } = mongoose.mongo;
type Client = mongoose.mongo.MongoClient;

/** The embedded replica set's name. */
export const SET = "guildcal";
/** May do everything; nobody but the start itself uses it, and tests. */
export const ADMIN = "admin";
const KEYFILE = "mongodb-keyfile";
const PRIMARY_WITHIN_MS = 30_000;
const ATTEMPTS = 5;
/** MongoDB's errors, by their numbers. */
const [UNAUTHORIZED, AUTHENTICATION_FAILED, ALREADY_INITIALIZED, NOT_YET_READ] = [13, 18, 23, 94];
const [ROLE_EXISTS, USER_EXISTS] = [51_002, 51_003];

/** Whom the embedded mongod lets in. Their passwords follow from one secret, which lies in the data folder. */
export interface MongodUsers {
  /** mongod wants a file of its own for the members of a set: the secret's. */
  readonly keyfile: string;
  passwordOf(user: string): string;
  /** Where the user reaches a mongod on the port. */
  urlOf(user: string, port: number): string;
}

export async function mongodUsers(directory: string): Promise<MongodUsers> {
  const secret = await storedSecret(directory, KEYFILE);
  const passwordOf = (user: string) => createHmac("sha256", secret).update(`MongoDB user ${user}`).digest("hex");
  return {
    keyfile: join(directory, KEYFILE),
    passwordOf,
    urlOf: (user, port) =>
      `mongodb://${user}:${passwordOf(user)}@127.0.0.1:${port}/${DATABASE}?replicaSet=${SET}&directConnection=true&authSource=admin`,
  };
}

/**
 * Makes a mongod that has just started ready for the services: a replica set of one, and a user for each of them. What
 * is so already stays so; data of before there were users stays, and has them from now on.
 */
export async function prepareMongod(port: number, users: MongodUsers): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await prepareOnce(port, users);
    } catch (error) {
      // mongod closes all connections when its state in the set changes, as after it has read an address that is not its own.
      if (!(error instanceof MongoNetworkError) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function prepareOnce(port: number, users: MongodUsers): Promise<void> {
  const withoutUser = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  const admin = users.urlOf(ADMIN, port);
  await withClient(withoutUser, (client) => initiateReplicaSet(client, port));
  // MongoDB lets in its own host while it has no users, for what is needed to make the first.
  if (!(await canAuthenticate(admin)))
    await withClient(withoutUser, (client) => createAdmin(client, users.passwordOf(ADMIN)));
  if (!(await canAuthenticate(admin))) {
    throw new StartupError(`The users of this MongoDB were made with another ${users.keyfile}: put that file back`);
  }
  await withClient(admin, async (client) => {
    await updateMemberAddress(client, port);
    await waitForPrimary(client);
    for (const service of SERVICES) await createServiceUser(client, service, users.passwordOf(service));
  });
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: PRIMARY_WITHIN_MS });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

async function canAuthenticate(url: string): Promise<boolean> {
  return withClient(url, (client) => succeedsUnless([AUTHENTICATION_FAILED], client.db("admin").command({ ping: 1 })));
}

async function initiateReplicaSet(client: Client, port: number): Promise<void> {
  const config = { _id: SET, members: [{ _id: 0, host: hostAt(port) }], settings: { electionTimeoutMillis: 5_000 } };
  // A set that has users tells nothing to a stranger.
  await succeedsUnless([ALREADY_INITIALIZED, UNAUTHORIZED], client.db("admin").command({ replSetInitiate: config }));
}

/** The set remembers its member's address, which is another one when the port of the last start was taken. */
async function updateMemberAddress(client: Client, port: number): Promise<void> {
  const admin = client.db("admin");
  let config: SetConfig | undefined;
  const read = async () => ({ config } = (await admin.command({ replSetGetConfig: 1 })) as { config: SetConfig });
  // Right after its start mongod has not read it yet.
  await retryUntilTrue(() => succeedsUnless([NOT_YET_READ], read()));
  const [member] = config?.members ?? [];
  if (member === undefined || member.host === hostAt(port)) return;
  await admin.command({ replSetReconfig: { ...config, members: [{ ...member, host: hostAt(port) }] }, force: true });
}

interface SetConfig {
  readonly members: readonly { readonly host: string }[];
}

function waitForPrimary(client: Client): Promise<void> {
  return retryUntilTrue(async () => (await client.db("admin").command({ hello: 1 }))["isWritablePrimary"] === true);
}

async function retryUntilTrue(attempt: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PRIMARY_WITHIN_MS;
  while (!(await attempt())) {
    if (Date.now() > deadline) throw new Error("no primary in 30 seconds");
    await new Promise((wake) => setTimeout(wake, 20));
  }
}

async function createAdmin(client: Client, pwd: string): Promise<void> {
  await waitForPrimary(client);
  await succeedsUnless([UNAUTHORIZED], client.db("admin").command({ createUser: ADMIN, pwd, roles: ["root"] }));
}

/** The role is made anew at each start, as a newer version may need other rights; the user only once. */
async function createServiceUser(client: Client, service: ServiceName, pwd: string): Promise<void> {
  const admin = client.db("admin");
  const rights = { privileges: databasePrivileges(service), roles: [] };
  if (!(await succeedsUnless([ROLE_EXISTS], admin.command({ createRole: service, ...rights })))) {
    await admin.command({ updateRole: service, ...rights });
  }
  await succeedsUnless([USER_EXISTS], admin.command({ createUser: service, pwd, roles: [service] }));
}

/** Whether it was done; false where MongoDB's error, by its number, says that it is so already. */
async function succeedsUnless(expected: readonly number[], work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof MongoServerError && expected.includes(Number(error.code))) return false;
    throw error;
  }
}

function hostAt(port: number): string {
  return `127.0.0.1:${port}`;
}
