import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findMongod } from "../../services/launch/embedded/mongod-binary.ts";
import { freePorts } from "./free-ports.ts";
import { PROJECT } from "./guildcal-process.ts";
import { type MongoMember, newMongoMember, SET_NAME } from "./mongo-member.ts";
import { until } from "./until.ts";

/** A real replica set of three on loopback, as in production, which elects a new primary when it loses one. */
export interface MongoSet {
  /** A URL with all three members, with which a client finds the primary. */
  readonly url: string;
  /** The host and port of each member. */
  readonly hosts: readonly string[];
  /** Waits for a primary, and resolves with its host and port. */
  primary(): Promise<string>;
  /** Makes the primary step down for a few seconds; resolves when another member is primary. */
  stepDown(): Promise<void>;
  /** Kills the primary with SIGKILL, and resolves with its host and port; the others elect a primary. */
  killPrimary(): Promise<string>;
  /** Sends the primary SIGTERM, and resolves with its host and port when its process has ended. */
  terminatePrimary(): Promise<string>;
  /** Blocks the writes of a secondary, so that it does not replicate; resolves with what unblocks them. */
  lockSecondary(): Promise<() => Promise<void>>;
  /** Starts a member that has ended again, and waits until all three are primary or secondary. */
  restart(host: string): Promise<void>;
  stop(): Promise<void>;
}

const MEMBERS = 3;
/**
 * Time for which a member that stepped down cannot be elected. The time of the first one must be over at the third step-down
 * in a set of three, or no member could be elected.
 */
const STEP_DOWN_SECONDS = 6;
/** Time in which another member must catch up, or the step-down fails. */
const CATCH_UP_SECONDS = 5;
/** Timeout of an election, in which a restarted member must catch up. */
const ELECTION_TIMEOUT_MS = 60_000;

/**
 * Starts three members in folders below `directory`; resolves when one is primary and two are secondaries.
 *
 * @param options - Further arguments of mongod.
 */
export async function startMongoSet(directory: string, options: readonly string[] = []): Promise<MongoSet> {
  const { binary, reason } = { reason: "", ...(await findMongod(directory)) };
  if (binary === undefined) throw new Error(`No usable mongod: ${reason}`);
  const ports = await freePorts(MEMBERS);
  const members = ports.map((port) => newMongoMember(binary.path, port, directory, SET_NAME, options));
  const stop = async () => void (await Promise.all(members.map((member) => member.stop())));
  await Promise.all(members.map((member) => member.start())).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const settings = { electionTimeoutMillis: electionMs() };
  const config = { _id: SET_NAME, members: members.map(({ host }, at) => ({ _id: at, host })), settings };
  const [first] = members as [MongoMember];
  await first.command({ replSetInitiate: config });
  // Without this command the set would wait for the election timeout before its first election.
  await until(() => steppedUp(first), "a first primary", ELECTION_TIMEOUT_MS);

  async function findPrimary(): Promise<MongoMember> {
    const found: MongoMember[] = [];
    const look = async () => {
      const responses = await Promise.all(members.map((member) => member.hello()));
      found.push(...members.filter((_, at) => responses[at]?.isWritablePrimary === true));
      return found.length > 0;
    };
    await until(look, "a primary", ELECTION_TIMEOUT_MS);
    return found.at(-1) as MongoMember;
  }

  async function complete(): Promise<void> {
    const isComplete = async () => {
      const responses = await Promise.all(members.map((member) => member.hello()));
      return (
        responses.filter((response) => response?.isWritablePrimary).length === 1 &&
        responses.filter((response) => response?.secondary).length === MEMBERS - 1
      );
    };
    await until(isComplete, "a primary and two secondaries", ELECTION_TIMEOUT_MS);
  }

  await complete();
  return {
    url: `mongodb://${members.map(({ host }) => host).join(",")}/guildcal?replicaSet=${SET_NAME}`,
    hosts: members.map(({ host }) => host),
    primary: async () => (await findPrimary()).host,
    async stepDown() {
      const before = await findPrimary();
      // The command fails until another member has caught up.
      const command = { replSetStepDown: STEP_DOWN_SECONDS, secondaryCatchUpPeriodSecs: CATCH_UP_SECONDS };
      const steppedDown = () => succeeds(before.command(command));
      await until(steppedDown, "the primary steps down", ELECTION_TIMEOUT_MS);
      await until(async () => (await findPrimary()) !== before, "another primary", ELECTION_TIMEOUT_MS);
    },
    async killPrimary() {
      const primary = await findPrimary();
      await primary.kill();
      return primary.host;
    },
    async terminatePrimary() {
      const primary = await findPrimary();
      await primary.terminate();
      return primary.host;
    },
    async lockSecondary() {
      const primary = await findPrimary();
      const secondary = members.find((member) => member !== primary) as MongoMember;
      await secondary.command({ fsync: 1, lock: true });
      return async () => void (await secondary.command({ fsyncUnlock: 1 }));
    },
    async restart(host) {
      await members.find((member) => member.host === host)?.start();
      await complete();
    },
    stop,
  };
}

/** Time after which members elect a new primary instead of a silent one, as in the manifests. */
function electionMs(): number {
  const text = readFileSync(join(PROJECT, "k8s/components/mongodb/set-up.js"), "utf8");
  const [, ms = ""] = /const ELECTION_MS = ([\d_]+);/.exec(text) ?? [];
  if (ms === "") throw new Error("set-up.js has no ELECTION_MS");
  return Number(ms.replaceAll("_", ""));
}

/** The command fails until the others know the set. */
function steppedUp(member: MongoMember): Promise<boolean> {
  return succeeds(member.command({ replSetStepUp: 1 }));
}

function succeeds(command: Promise<unknown>): Promise<boolean> {
  return command.then(
    () => true,
    () => false,
  );
}
