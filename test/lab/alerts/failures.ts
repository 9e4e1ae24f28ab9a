import { setTimeout as pause } from "node:timers/promises";
import { type ServiceName, SERVICES } from "../../../services/contracts/service-names.ts";
import { type ChatResponse, UNAUTHORIZED } from "../../harness/chat-server/responses.ts";
import type { Installation } from "../cluster/installation.ts";
import { makePostsDue } from "./due-posts.ts";
import { startSlowConsumer } from "./slow-consumer.ts";

/** An alert that must fire, with some of its labels. */
export interface ExpectedAlert {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** The image of the exporter that the alert needs, as in `EXPORTERS`. */
  readonly exporter?: string;
}

/** A failure of an installation, and the alerts that operators get. */
export interface Failure {
  readonly name: string;
  /** Makes the failure; resolves with what repairs it. */
  readonly inject: (installation: Installation) => Promise<() => Promise<void>>;
  /** Must fire during the failure, and end after the repair. */
  readonly during: readonly ExpectedAlert[];
  /** Must fire after the repair at the latest. */
  readonly after?: readonly ExpectedAlert[];
}

const MINUTE = 60_000;
const MANY = 10_000;
/** Posts of the last minute before a kill that are in flight when it happens. */
const IN_FLIGHT = 20;

const GLOBAL_LIMIT = { status: 429, body: { message: "You are being rate limited.", retry_after: 1, global: true } };

const ofMongodb = (name: string): ExpectedAlert => ({ name, exporter: "percona/mongodb_exporter" });
const ofNats = (name: string): ExpectedAlert => ({ name, exporter: "natsio/prometheus-nats-exporter" });
const gone = (app: ServiceName): ExpectedAlert => ({ name: "GuildcalServiceGone", labels: { app } });
const SERVICES_WITH_DATABASE = SERVICES.filter((service) => service !== "api");

/** Kills all replicas of a service, which do not start again. */
async function killAll(installation: Installation, service: ServiceName): Promise<() => Promise<void>> {
  const replicas = installation.replicas(service);
  await Promise.all(replicas.map((replica) => replica.kill()));
  return async () => void (await Promise.all(replicas.map((replica) => installation.kill(replica))));
}

async function freezeAll(installation: Installation, service: ServiceName): Promise<() => Promise<void>> {
  const signal = (name: NodeJS.Signals) => {
    for (const { pid } of installation.replicas(service)) process.kill(pid, name);
  };
  signal("SIGSTOP");
  return () => Promise.resolve(signal("SIGCONT"));
}

async function killNats({ nats }: Installation): Promise<() => Promise<void>> {
  const servers = [0, 1, 2];
  await Promise.all(servers.map((at) => nats.kill(at)));
  return async () => void (await Promise.all(servers.map((at) => nats.restart(at))));
}

/** Kills two of three members, so that the third one cannot become primary. */
async function killMajority({ mongo }: Installation): Promise<() => Promise<void>> {
  const hosts = [await mongo.killPrimary(), await mongo.killPrimary()];
  return async () => void (await Promise.all(hosts.map((host) => mongo.restart(host))));
}

async function killOneOfEach({ mongo, nats }: Installation): Promise<() => Promise<void>> {
  const [host] = await Promise.all([mongo.killPrimary(), nats.kill(0)]);
  return async () => void (await Promise.all([mongo.restart(host), nats.restart(0)]));
}

/** Kills dispatch while messages are in flight, of which it cannot find out later. The last post comes due more than a minute before the repair. */
async function killDispatch(installation: Installation): Promise<() => Promise<void>> {
  await makePostsDue(installation, MINUTE, { hasHistory: false });
  installation.chat.script({ kind: "silence", accepted: true }, IN_FLIGHT);
  await pause(15_000);
  const repair = await killAll(installation, "dispatch");
  installation.chat.calm();
  return repair;
}

/** The receiver sends this response to every message while posts come due. */
async function respondWith(installation: Installation, response: ChatResponse): Promise<() => Promise<void>> {
  await makePostsDue(installation, 4 * MINUTE, { hasHistory: true });
  installation.chat.script({ kind: "response", response }, MANY);
  return () => Promise.resolve(installation.chat.calm());
}

export const FAILURES: readonly Failure[] = [
  {
    name: "the replicas of events are gone",
    inject: (installation) => killAll(installation, "calendar-events"),
    during: [gone("calendar-events"), { name: "GuildcalPlanLags" }],
    after: [{ name: "GuildcalRequestsFailFast" }],
  },
  {
    name: "the replicas of settings are frozen",
    inject: (installation) => freezeAll(installation, "guild-settings"),
    during: [gone("guild-settings")],
  },
  {
    name: "the replicas of dispatch are frozen",
    inject: (installation) => freezeAll(installation, "dispatch"),
    during: [gone("dispatch")],
  },
  {
    name: "the gateways are gone",
    inject: (installation) => killAll(installation, "api"),
    during: [gone("api")],
  },
  {
    name: "dispatch is gone while messages are in flight and posts come due",
    inject: killDispatch,
    during: [gone("dispatch")],
    after: [{ name: "GuildcalPostsMissed" }, { name: "GuildcalPostsInDoubt" }, { name: "GuildcalPostsLateFast" }],
  },
  {
    name: "the receiver refuses the token",
    inject: (installation) => respondWith(installation, UNAUTHORIZED),
    during: [{ name: "GuildcalSinkHalted", labels: { sink: "discord" } }, { name: "GuildcalPostsOverdue" }],
  },
  {
    name: "the receiver responds with 500",
    inject: (installation) => respondWith(installation, { status: 500, body: {} }),
    // GuildcalPostsMissed and GuildcalPostsLateFast fire, too, but still fire from an earlier row.
    during: [{ name: "GuildcalReceiverFails", labels: { sink: "discord" } }],
  },
  {
    name: "the receiver limits all requests",
    inject: (installation) => respondWith(installation, GLOBAL_LIMIT),
    during: [{ name: "GuildcalPostsOverdue" }],
  },
  {
    name: "no NATS server runs",
    inject: killNats,
    during: SERVICES.map((app) => ({ name: "GuildcalBusOutOfReach", labels: { app } })),
  },
  {
    name: "MongoDB has no primary",
    inject: killMajority,
    during: [
      ...SERVICES_WITH_DATABASE.map((service) => ({ name: "GuildcalDatabaseOutOfReach", labels: { service } })),
      ofMongodb("GuildcalMongodbNoPrimary"),
    ],
  },
  {
    name: "a NATS server and a member of MongoDB are gone",
    inject: killOneOfEach,
    during: [ofNats("GuildcalNatsServerGone"), ofMongodb("GuildcalMongodbMemberGone")],
  },
  {
    name: "a member of MongoDB does not replicate",
    inject: ({ mongo }) => mongo.lockSecondary(),
    during: [ofMongodb("GuildcalReplicationLags")],
  },
  {
    name: "a client of NATS does not read",
    inject: async ({ nats }) => {
      await startSlowConsumer(nats.url);
      return () => Promise.resolve();
    },
    during: [],
    // It ends ten minutes later.
    after: [ofNats("GuildcalNatsSlowConsumers")],
  },
];
