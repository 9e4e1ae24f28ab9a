import { createHmac } from "node:crypto";
import { join } from "node:path";
import mongoose from "mongoose";
import {
  ADMIN,
  BACKUP_USER,
  backupPrivileges,
  DATABASE,
  databasePrivileges,
  type DatabaseUser,
  type Privilege,
} from "./database-privileges.ts";
import { storedSecret } from "../embedded/stored-secret.ts";
import { StartupError } from "../run/startup-error.ts";
import { SERVICES } from "../../contracts/service-names.ts";
import { pollUntil } from "../poll-until.ts";

const { MongoClient, MongoNetworkError, MongoServerError } = mongoose.mongo;
type Client = mongoose.mongo.MongoClient;

/** The name of the embedded replica set. */
export const REPLICA_SET = "guildcal";
const KEYFILE = "mongodb-keyfile";
const PRIMARY_TIMEOUT_MS = 30_000;
const POLLING = {
  everyMs: 20,
  timeoutMs: PRIMARY_TIMEOUT_MS,
  timeoutError: () => new Error("no primary in 30 seconds"),
};
const MAX_ATTEMPTS = 5;
/** Codes of MongoDB errors. */
const [UNAUTHORIZED, AUTHENTICATION_FAILED, ALREADY_INITIALIZED, NOT_YET_READ] = [13, 18, 23, 94];
const [ROLE_EXISTS, USER_EXISTS] = [51_002, 51_003];

/** The users of the embedded mongod. Their passwords are derived from one secret in the data folder. */
export interface MongodUsers {
  /** The file with the secret, which mongod requires for authentication between the members of a replica set. */
  readonly keyfile: string;
  passwordOf(user: DatabaseUser): string;
  /** URL of a user for a mongod on the port. */
  urlOf(user: DatabaseUser, port: number): string;
}

export async function mongodUsers(directory: string): Promise<MongodUsers> {
  const secret = await storedSecret(directory, KEYFILE);
  const passwordOf = (user: DatabaseUser) => createHmac("sha256", secret).update(`MongoDB user ${user}`).digest("hex");
  return {
    keyfile: join(directory, KEYFILE),
    passwordOf,
    urlOf: (user, port) =>
      `mongodb://${user}:${passwordOf(user)}@127.0.0.1:${port}/${DATABASE}?replicaSet=${REPLICA_SET}&directConnection=true&authSource=admin`,
  };
}

/**
 * Prepares a started mongod for the services: initiates a replica set of one and creates the users. Existing parts
 * stay, and so do the data of a version without users.
 */
export async function prepareMongod(port: number, users: MongodUsers): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await prepareOnce(port, users);
    } catch (error) {
      // mongod closes all connections when its state in the set changes, as after it has read an old address.
      if (!(error instanceof MongoNetworkError) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function prepareOnce(port: number, users: MongodUsers): Promise<void> {
  const withoutUser = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  const admin = users.urlOf(ADMIN, port);
  await withClient(withoutUser, (client) => initiateReplicaSet(client, port));
  // The localhost exception: without users, MongoDB allows the creation of the first one without authentication.
  if (!(await canAuthenticate(admin)))
    await withClient(withoutUser, (client) => createAdmin(client, users.passwordOf(ADMIN)));
  if (!(await canAuthenticate(admin))) {
    throw new StartupError(`The users of this MongoDB were made with another ${users.keyfile}: put that file back`);
  }
  await withClient(admin, async (client) => {
    await updateMemberAddress(client, port);
    await waitForPrimary(client);
    for (const service of SERVICES)
      await createUser(client, service, databasePrivileges(service), users.passwordOf(service));
    await createUser(client, BACKUP_USER, backupPrivileges(), users.passwordOf(BACKUP_USER));
  });
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: PRIMARY_TIMEOUT_MS });
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
  const config = {
    _id: REPLICA_SET,
    members: [{ _id: 0, host: hostAt(port) }],
    settings: { electionTimeoutMillis: 5_000 },
  };
  // A set with users responds to an unauthenticated client with UNAUTHORIZED.
  await succeedsUnless([ALREADY_INITIALIZED, UNAUTHORIZED], client.db("admin").command({ replSetInitiate: config }));
}

/** The set stores the address of its member, which differs if the port of the last start was in use. */
async function updateMemberAddress(client: Client, port: number): Promise<void> {
  const admin = client.db("admin");
  let config: SetConfig | undefined;
  const read = async () => ({ config } = (await admin.command({ replSetGetConfig: 1 })) as { config: SetConfig });
  // Shortly after its start mongod has not read the configuration yet.
  await pollUntil(() => succeedsUnless([NOT_YET_READ], read()), POLLING);
  const [member] = config?.members ?? [];
  if (member === undefined || member.host === hostAt(port)) return;
  await admin.command({ replSetReconfig: { ...config, members: [{ ...member, host: hostAt(port) }] }, force: true });
}

interface SetConfig {
  readonly members: readonly { readonly host: string }[];
}

function waitForPrimary(client: Client): Promise<void> {
  const isPrimary = async () => (await client.db("admin").command({ hello: 1 }))["isWritablePrimary"] === true;
  return pollUntil(isPrimary, POLLING);
}

/** Creates the administrator. MongoDB responds with UNAUTHORIZED if it has users already, made with another keyfile. */
async function createAdmin(client: Client, pwd: string): Promise<void> {
  await waitForPrimary(client);
  await succeedsUnless([UNAUTHORIZED], client.db("admin").command({ createUser: ADMIN, pwd, roles: ["root"] }));
}

/** Updates the role at each start, because a new release may need other privileges; creates the user once. */
async function createUser(client: Client, name: string, privileges: Privilege[], pwd: string): Promise<void> {
  const admin = client.db("admin");
  const role = { privileges, roles: [] };
  if (!(await succeedsUnless([ROLE_EXISTS], admin.command({ createRole: name, ...role })))) {
    await admin.command({ updateRole: name, ...role });
  }
  await succeedsUnless([USER_EXISTS], admin.command({ createUser: name, pwd, roles: [name] }));
}

/** Resolves with true if the work succeeds, and with false if it fails with one of the expected MongoDB error codes. */
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
