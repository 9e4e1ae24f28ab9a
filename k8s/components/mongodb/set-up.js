// mongosh runs this script beside a member of the replica set at each start. The script initiates the set and adds its
// members. It creates a user for each service, with access only to the collections of the service, and a user for backups,
// which can only read. It can be run again at any time.
//
// It must run on the member's host, since MongoDB without users accepts only clients of its own host.
const { existsSync, readFileSync } = require("node:fs");

/** In components/sharded-mongodb each set has a name of its own. */
const REPLICA_SET = process.env.REPLICA_SET ?? "guildcal";
/** The users of a sharded cluster are on its configuration servers; a shard has an administrator of its own. */
const hasUsers = process.env.ROLE !== "shard";
/** Time after which members elect a new primary instead of a silent one. Requests wait for five seconds. */
const ELECTION_MS = 3_000;

const [self, ...others] = process.env.MEMBERS.split(",");
const passwords = JSON.parse(readFileSync("/run/secrets/mongodb/passwords.json", "utf8"));
/** An installation from before the exporter has no such file. */
const EXPORTER_PASSWORD = "/run/secrets/mongodb/exporter-password";
const privilegesOf = JSON.parse(readFileSync("/etc/mongodb/privileges.json", "utf8"));

/** Set with components/tls. */
const CA_FILE = process.env.TLS_CA_FILE;
const tls = CA_FILE === undefined ? "" : `&tls=true&tlsCAFile=${encodeURIComponent(CA_FILE)}`;

const direct = `mongodb://127.0.0.1:27017/admin?directConnection=true${tls}`;
const asAdmin = (password) =>
  `mongodb://admin:${password}@${process.env.MEMBERS}/admin?replicaSet=${REPLICA_SET}${tls}`;

function patiently(what, attempt) {
  for (let tries = 1; ; tries += 1) {
    try {
      // mongosh awaits assigned values. With a direct return, a failure would not reach the catch block.
      const result = attempt();
      return result;
    } catch (error) {
      if (tries === 90) throw error;
      if (tries % 10 === 0) print(`waiting: ${what} (${error.codeName ?? error.message})`);
      sleep(1000);
    }
  }
}

function isFounded(db) {
  try {
    return db.adminCommand({ replSetGetStatus: 1 }).ok === 1;
  } catch (error) {
    // A set with users refuses commands without authentication.
    if (error.codeName === "Unauthorized") return true;
    if (error.codeName === "NotYetInitialized") return false;
    throw error;
  }
}

/** Whether a member belongs to a set. Throws if it does not respond. */
function belongsToSet(host) {
  const member = connect(`mongodb://${host}/admin?directConnection=true&serverSelectionTimeoutMS=3000${tls}`);
  return member.adminCommand({ hello: 1 }).setName !== undefined;
}

/**
 * Initiates the set, unless there is one. A member with an empty volume is not enough to know that there is none: its former set
 * lives on in the others, which send it their configuration and data. A second set of the same name would take neither.
 */
function initiate(db) {
  patiently("every other member responds, and this one joins a set that they have", () => {
    if (isFounded(db)) return;
    const member = others.find(belongsToSet);
    if (member !== undefined) throw new Error(`${member} belongs to a set, from which this member gets its data`);
    db.adminCommand({ replSetInitiate: { _id: REPLICA_SET, members: [{ _id: 0, host: self }] } });
  });
}

function found() {
  const db = patiently("mongod responds", () => connect(direct));
  initiate(db);
  const primary = patiently("a primary", () => {
    const hello = db.adminCommand({ hello: 1 });
    // An elected member needs some time before it accepts writes.
    if (hello.primary === undefined || (hello.primary === self && !hello.isWritablePrimary))
      throw new Error("none yet");
    return hello.primary;
  });
  // In an existing set another member may be primary; the set has its users then.
  if (primary !== self) return;
  try {
    db.createUser({ user: "admin", pwd: passwords.admin, roles: ["root"] });
    print("the set is founded");
  } catch (error) {
    if (error.codeName !== "Unauthorized") throw error;
  }
}

/** After a rotation the set still has the former password. */
function letIn() {
  try {
    const db = connect(asAdmin(passwords.admin));
    return db;
  } catch (error) {
    if (error.codeName !== "AuthenticationFailed" || passwords.adminBefore === undefined) throw error;
  }
  const former = connect(asAdmin(passwords.adminBefore));
  former.changeUserPassword("admin", passwords.admin);
  print("the administrator has another password");
  const db = connect(asAdmin(passwords.admin));
  return db;
}

function electInTime(db) {
  patiently("elections are in time", () => {
    const { config } = db.adminCommand({ replSetGetConfig: 1 });
    if (config.settings.electionTimeoutMillis === ELECTION_MS) return;
    const settings = { ...config.settings, electionTimeoutMillis: ELECTION_MS };
    db.adminCommand({ replSetReconfig: { ...config, version: config.version + 1, settings } });
  });
}

/** Adds members one at a time, as MongoDB requires: each must have the data before the next one is part of the majority. */
function takeIn(db, host) {
  patiently(`${host} is a member`, () => {
    const { config } = db.adminCommand({ replSetGetConfig: 1 });
    if (config.members.some((member) => member.host === host)) return;
    const _id = Math.max(...config.members.map((member) => member._id)) + 1;
    const next = { ...config, version: config.version + 1, members: [...config.members, { _id, host }] };
    db.adminCommand({ replSetReconfig: next });
    print(`${host} is a member`);
  });
}

function grant(db, service) {
  // An installation from before backups has no password for their user.
  if (passwords[service] === undefined) return;
  const privileges = privilegesOf[service];
  if (db.getRole(service) === null) db.createRole({ role: service, privileges, roles: [] });
  else db.updateRole(service, { privileges, roles: [] });
  putUser(db, service, passwords[service], [service]);
}

function putUser(db, name, pwd, roles) {
  if (db.getUser(name) === null) db.createUser({ user: name, pwd, roles });
  else db.updateUser(name, { pwd, roles });
}

/** The role of the metrics exporter, which may read the state of the set and its oplog, and no document of guildcal. */
function grantExporter(db) {
  const roles = [
    { role: "clusterMonitor", db: "admin" },
    { role: "read", db: "local" },
  ];
  if (existsSync(EXPORTER_PASSWORD)) putUser(db, "exporter", readFileSync(EXPORTER_PASSWORD, "utf8"), roles);
}

found();
const db = patiently("the administrator is let in", letIn);
for (const host of others) takeIn(db, host);
electInTime(db);
if (hasUsers) for (const service of Object.keys(privilegesOf)) grant(db, service);
grantExporter(db);
print("members and users are as they should be");
