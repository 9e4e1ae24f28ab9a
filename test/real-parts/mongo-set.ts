import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findMongod } from "../../services/launch/embedded/mongod-binary.ts";
import { freePorts } from "./free-ports.ts";
import { PROJECT } from "./launched.ts";
import { type MongoMember, newMongoMember, SET_NAME } from "./mongo-member.ts";
import { until } from "./until.ts";

/** A real replica set of three on loopback, as in production: it loses its primary and elects another. */
export interface MongoSet {
  /** Names all three, so that a client finds whichever is primary. */
  readonly url: string;
  /** Waits until there is a primary, and gives its host and port. */
  primary(): Promise<string>;
  /** The primary gives up its office for a few seconds; resolves when another has it. */
  stepDown(): Promise<void>;
  /** Ends the primary by kill -9, at once, and gives its host and port; the others elect one of themselves. */
  killPrimary(): Promise<string>;
  /** Starts a killed member again, and waits until all three are primary or secondary. */
  raise(host: string): Promise<void>;
  stop(): Promise<void>;
}

const MEMBERS = 3;
/**
 * So long it won't be elected again: in a set of three that steps down again and again it must be over before the third
 * time, or nobody is left to be elected. The others have so long to catch up before.
 */
const STEPS_DOWN_SECONDS = 6;
const CATCH_UP_SECONDS = 5;
/** A raised member has to catch up. */
const ELECTS_MS = 60_000;

/** Starts three members on folders below `directory`; resolves when one is primary and two are secondaries. */
export async function startMongoSet(directory: string): Promise<MongoSet> {
  const { binary, reason } = { reason: "", ...(await findMongod(directory)) };
  if (binary === undefined) throw new Error(`No usable mongod: ${reason}`);
  const ports = await freePorts(MEMBERS);
  const members = ports.map((port) => newMongoMember(binary.path, port, directory));
  const stop = async () => void (await Promise.all(members.map((member) => member.stop())));
  await Promise.all(members.map((member) => member.raise())).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const settings = { electionTimeoutMillis: electionMs() };
  const config = { _id: SET_NAME, members: members.map(({ host }, at) => ({ _id: at, host })), settings };
  const [first] = members as [MongoMember];
  await first.command({ replSetInitiate: config });
  // By itself the set waits as long for its first primary as if one were lost.
  await until(() => steppedUp(first), "a first primary", ELECTS_MS);

  async function findPrimary(): Promise<MongoMember> {
    const found: MongoMember[] = [];
    const look = async () => {
      const answers = await Promise.all(members.map((member) => member.hello()));
      found.push(...members.filter((_, at) => answers[at]?.isWritablePrimary === true));
      return found.length > 0;
    };
    await until(look, "a primary", ELECTS_MS);
    return found.at(-1) as MongoMember;
  }

  async function complete(): Promise<void> {
    const inOffice = async () => {
      const answers = await Promise.all(members.map((member) => member.hello()));
      return (
        answers.filter((answer) => answer?.isWritablePrimary).length === 1 &&
        answers.filter((answer) => answer?.secondary).length === MEMBERS - 1
      );
    };
    await until(inOffice, "a primary and two secondaries", ELECTS_MS);
  }

  await complete();
  return {
    url: `mongodb://${members.map(({ host }) => host).join(",")}/guildcal?replicaSet=${SET_NAME}`,
    primary: async () => (await findPrimary()).host,
    async stepDown() {
      const before = await findPrimary();
      // Refused as long as no other has caught up.
      const command = { replSetStepDown: STEPS_DOWN_SECONDS, secondaryCatchUpPeriodSecs: CATCH_UP_SECONDS };
      const steppedDown = () => succeeds(before.command(command));
      await until(steppedDown, "the primary steps down", ELECTS_MS);
      await until(async () => (await findPrimary()) !== before, "another primary", ELECTS_MS);
    },
    async killPrimary() {
      const primary = await findPrimary();
      await primary.kill();
      return primary.host;
    },
    async raise(host) {
      await members.find((member) => member.host === host)?.raise();
      await complete();
    },
    stop,
  };
}

/** How long members wait for a silent primary before they elect another: as in the manifests' set. */
function electionMs(): number {
  const text = readFileSync(join(PROJECT, "k8s/components/mongodb/set-up.js"), "utf8");
  const [, ms = ""] = /const ELECTION_MS = ([\d_]+);/.exec(text) ?? [];
  if (ms === "") throw new Error("set-up.js names no ELECTION_MS");
  return Number(ms.replaceAll("_", ""));
}

/** Refused as long as the others have not heard of the set. */
function steppedUp(member: MongoMember): Promise<boolean> {
  return succeeds(member.command({ replSetStepUp: 1 }));
}

function succeeds(command: Promise<unknown>): Promise<boolean> {
  return command.then(
    () => true,
    () => false,
  );
}
