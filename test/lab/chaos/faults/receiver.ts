import { setTimeout as pause } from "node:timers/promises";
import { type ChannelRefusal, UNAUTHORIZED } from "../../../harness/chat-server/responses.ts";
import type { Cluster } from "../cluster.ts";
import type { Load, LoadShape } from "../load.ts";
import { type Fault, type FinishedRun, type Injected, SOME, untilInstant, without, WITHOUT_NONCES } from "./fault.ts";

/** The receiver fails single requests in every way that it can, one after the other. */
async function failRequests({ chat }: Cluster): Promise<Injected> {
  const rounds = 3;
  for (let round = 0; round < rounds; round += 1) {
    chat.script({ kind: "response", response: { status: 500, body: {} } });
    chat.script({
      kind: "response",
      response: { status: 429, body: { retry_after: 0.3, global: false, message: "slow" } },
    });
    chat.script({ kind: "reset", accepted: true });
    chat.script({ kind: "reset", accepted: false });
    chat.script({ kind: "garbage", accepted: true });
    chat.script({ kind: "silence", accepted: true });
    chat.script({ kind: "slow", ms: 2_000 });
  }
  return { times: rounds * 7 };
}

/** More posts than requests may be refused, so that a sink that does not stop exceeds the budget. */
const STORMED: LoadShape = { guilds: 10, announcements: 10, events: 20, spreadMs: 60_000 };
/** Maximum of 401, 403 and 429 in ten minutes. Discord bans an address at ten times as many. */
const BUDGET = 1_000;
const STORM_MS = 45_000;
const FOR_EVER = 100_000;

/** The receiver sends this response to every request for a while. */
async function storm({ chat }: Cluster, load: Load, response: typeof UNAUTHORIZED): Promise<Injected> {
  chat.script({ kind: "response", response }, FOR_EVER);
  await untilInstant(load.firstDueAt);
  await pause(STORM_MS);
  chat.calm();
  return { times: chat.requests.filter(({ status }) => status === response.status).length };
}

/** So many channels that rate limits of single channels would not limit the refused requests. */
const IN_MANY_CHANNELS: LoadShape = { guilds: 40, announcements: 10, events: 5, spreadMs: 60_000 };
/** One request per second of each replica, and the requests in flight at the beginning. */
const TRIALS = 200;
const GLOBAL_LIMIT = { status: 429, body: { message: "You are being rate limited.", retry_after: 1, global: true } };
/** Share of the channels that refuse. */
const REFUSING = 0.8;

/** Most channels refuse permanently. */
async function refuse({ chat }: Cluster, load: Load, refuses: ChannelRefusal): Promise<Injected> {
  const channels = [...new Set(load.expected.map(({ channel }) => channel))];
  const refusing = channels.slice(0, channels.length * REFUSING);
  for (const channel of refusing) chat.setChannel(channel, { refuses });
  return { times: refusing.length };
}

/** Channels that do not refuse must have all their posts; the posts of others may have failed with a reason. */
function onlyRefusedAreUnsent({ expected, seen, outcomes }: FinishedRun): string[] {
  const refused = new Set(outcomes.filter(({ state }) => state === "failed").map(({ channel }) => channel));
  const visible = new Set(seen.map(({ channel, title }) => `${channel} ${title}`));
  const others = expected.filter(({ channel, title }) => !refused.has(channel) && !visible.has(`${channel} ${title}`));
  return others.length === 0 ? [] : [`${others.length} unsent in channels that refuse nothing`];
}

function channelsRefuse(name: string, refuses: ChannelRefusal): Fault {
  return {
    name: `receiver: ${name} in 80 of 100 channels`,
    shape: STORMED,
    mayEndUnsent: true,
    maxRefused: BUDGET,
    inject: (cluster, load) => refuse(cluster, load, refuses),
    check: onlyRefusedAreUnsent,
    control: without("an announcement is suspended when its channel refuses a post"),
  };
}

export const RECEIVER: readonly Fault[] = [
  {
    name: "receiver: 500, 429, reset, garbage, no response, slow",
    shape: SOME,
    inject: failRequests,
    control: WITHOUT_NONCES,
  },
  {
    name: "receiver: 401 for 45 s",
    shape: STORMED,
    patienceMs: 300_000,
    maxRefused: BUDGET,
    inject: (cluster, load) => storm(cluster, load, UNAUTHORIZED),
    control: without("a response that only an operator can resolve halts the sink", "a halted sink gets no posts"),
  },
  channelsRefuse("403", "noPermission"),
  channelsRefuse("404", "unknown"),
  {
    name: "receiver: global 429 for 45 s",
    shape: IN_MANY_CHANNELS,
    leadMs: 20_000,
    patienceMs: 120_000,
    maxRefused: TRIALS,
    inject: (cluster, load) => storm(cluster, load, GLOBAL_LIMIT),
    control: without("a global rate limit pauses the queues of all channels"),
  },
];
