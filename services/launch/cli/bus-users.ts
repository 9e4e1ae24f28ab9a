import mongoose from "mongoose";
import { nkeys } from "nats";
import { BUS_USER_NAME, MAX_BUS_USERS, namespaceOf } from "../../api/bus/bus-user.ts";
import { type BusUsersStore, busUsersStore } from "../../api/bus/bus-users.store.ts";
import { KEY_ACCESS } from "../../contracts/api-keys.contract.ts";
import type { Caller } from "../../contracts/contract.ts";
import { guildId, listOf, oneOf, optional, textOf } from "../../contracts/field-rules.ts";
import { checkedParams, parseArguments } from "./arguments.ts";
import { busUserListText, type CreatedBusUser, createdText } from "./bus-users-output.ts";
import { natsUsersFile } from "../permissions/nats-users.ts";
import { openDatabase } from "./open-database.ts";
import { operatorName } from "./operator-name.ts";
import { recordSchemaVersion } from "../run/schema-version.ts";
import { readSettings } from "../run/service-factories.ts";
import { StartupError } from "../run/startup-error.ts";

const USAGE = `npm run bus-users -- create --name NAME --access read|write [--guild ID]...
npm run bus-users -- list
npm run bus-users -- revoke NAME
npm run bus-users -- users-conf
create, list and revoke take --json.`;

const OPTIONS = {
  name: { type: "string" },
  access: { type: "string" },
  guild: { type: "string", multiple: true },
  json: { type: "boolean" },
} as const;

/** Largest number of guilds of a bus user; one without guilds has access to all. */
const MAX_GUILDS = 1_000;

const NEW_BUS_USER = {
  params: {
    name: textOf("1 to 40 lower-case letters, digits and hyphens, a letter first", BUS_USER_NAME, 40),
    access: oneOf(KEY_ACCESS),
    guilds: optional(listOf(guildId, MAX_GUILDS)),
  },
};

type ParsedArguments = ReturnType<typeof parseArguments<typeof OPTIONS>>;

/**
 * `npm run bus-users`: manages bus users for everyone who can access the database, whether the service runs or not.
 * Gateways read the users every second.
 */
export async function runBusUsers(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const work = parseCommand(parseArguments(args, OPTIONS, USAGE));
  const database = await openDatabase(readSettings(env));
  const url = database.urlOf("api");
  await recordSchemaVersion(url, "api");
  const options = { autoIndex: false, autoCreate: false, writeConcern: { w: "majority", journal: true } } as const;
  const connection = await mongoose.createConnection(url, options).asPromise();
  try {
    process.stdout.write(`${await work(busUsersStore(connection))}\n`);
  } finally {
    await connection.close();
    await database.close();
  }
}

/**
 * Returns the work of the command, which resolves with the text to print. Throws StartupError for invalid arguments, before
 * the command connects to MongoDB.
 */
function parseCommand({ positionals, values }: ParsedArguments): (store: BusUsersStore) => Promise<string> {
  const [command = "", name = ""] = positionals;
  const json = values.json === true;
  const by = `npm run bus-users, by ${operatorName()}`;
  switch (command) {
    case "create": {
      const user = newBusUser(values);
      return async (store) => createdText(await insertBusUser(store, user, by), json);
    }
    case "list":
      return async (store) => busUserListText(await store.list(), json);
    case "revoke":
      return async (store) => {
        if (!(await store.revoke(name, by, Date.now()))) throw new StartupError(`There is no bus user "${name}"`);
        return json ? JSON.stringify({ name }) : `${name} is revoked: every gateway refuses it within five seconds`;
      };
    case "users-conf":
      return async (store) =>
        natsUsersFile((await store.list()).filter(({ revokedAt }) => revokedAt === undefined)).trimEnd();
    default:
      throw new StartupError(USAGE);
  }
}

interface NewBusUser {
  readonly name: string;
  readonly access: Caller["access"];
  readonly guilds: readonly string[];
}

function newBusUser({ name, access, guild: guilds }: ParsedArguments["values"]): NewBusUser {
  const params = { name, access, ...(guilds === undefined ? {} : { guilds }) };
  checkedParams(NEW_BUS_USER, params, USAGE);
  return { guilds: [], ...params } as NewBusUser;
}

async function insertBusUser(store: BusUsersStore, user: NewBusUser, by: string): Promise<CreatedBusUser> {
  const pair = nkeys.createUser();
  const outcome = await store.insert({ ...user, publicKey: pair.getPublicKey() }, by, Date.now());
  if (outcome === "taken") throw new StartupError(`The name ${user.name} was used before: a name is used once`);
  if (outcome === "full") throw new StartupError(`There are ${MAX_BUS_USERS} bus users already: revoke one`);
  return { name: user.name, namespace: namespaceOf(user.name), seed: new TextDecoder().decode(pair.getSeed()) };
}
