import { setTimeout as pause } from "node:timers/promises";
import { postClient } from "./post-client.ts";

/** A guild that sends its usual requests during the attack. */
export interface Neighbour {
  readonly port: number;
  readonly guild: string;
  readonly key: string;
  readonly forMs: number;
}

export interface NeighbourOutcome {
  /** The latencies per second, in order: milliseconds from the instant at which each request was due. */
  readonly seconds: readonly (readonly number[])[];
  /** Descriptions of the first few requests without a 200. */
  readonly failures: readonly string[];
}

/** Half of the default of REQUESTS_PER_GUILD. */
const REQUESTS_PER_SECOND = 50;
const WRITE_EVERY = 10;
/** Some requests use a new connection, as a bot does that starts during the attack. */
const NEW_CONNECTION_EVERY = 7;
const START = 1_893_456_000_000;
const DAY_MS = 86_400_000;
/** 6 000 bytes in UTF-8. Bodies of over 4 KiB have limits of their own. */
const LONG_TEXT = "予".repeat(2_000);

/** An update, an update with a body of over 4 KiB, and a new event in turn. */
function writeOf(calendar: object, eventId: string, turn: number): readonly [path: string, body: object] {
  const event = { ...calendar, event_id: eventId };
  switch ((turn / WRITE_EVERY) % 3) {
    case 0:
      return ["/v2/events/create", { ...calendar, ...timesOf(turn) }];
    case 1:
      return ["/v2/events/update", { ...event, name: `turn ${turn}` }];
    default:
      return ["/v2/events/update", { ...event, description: LONG_TEXT }];
  }
}

/** Each new event is on a day of its own, so that the list of the first day does not grow. */
function timesOf(turn: number): object {
  const start = START + turn * DAY_MS;
  return { epoch_start: start, epoch_end: start + 1 };
}

function requestOf(guild: string, eventId: string, turn: number): readonly [path: string, body: object] {
  const calendar = { guild_id: guild, calendar_number: 1 };
  if (turn % WRITE_EVERY === 0) return writeOf(calendar, eventId, turn);
  if (turn % 3 === 0) return ["/v2/guild/settings/get", { guild_id: guild }];
  if (turn % 3 === 1) return ["/v1/announcement/list", { guild_id: guild, amount: -1 }];
  return ["/v2/events/list/date", { ...calendar, epoch_start: START }];
}

/** Sends at a fixed rate, whether earlier requests have a response or not, so that a slow response delays no later request. */
async function run({ port, guild, key, forMs }: Neighbour): Promise<NeighbourOutcome> {
  const { post, end } = postClient(port, REQUESTS_PER_SECOND);
  const newcomer = postClient(port, REQUESTS_PER_SECOND, false);
  const failures: string[] = [];
  const seconds: number[][] = Array.from({ length: Math.ceil(forMs / 1_000) }, () => []);
  const event = { guild_id: guild, calendar_number: 1, ...timesOf(0) };
  const created = await post("/v2/events/create", key, JSON.stringify(event));
  const eventId = (JSON.parse(created.text || "{}") as { id?: string }).id ?? "";
  const began = performance.now();

  async function ask(turn: number, dueAt: number): Promise<void> {
    const [path, body] = requestOf(guild, eventId, turn);
    const send = turn % NEW_CONNECTION_EVERY === 0 ? newcomer.post : post;
    const { status, text } = await send(path, key, JSON.stringify(body));
    seconds[Math.floor((dueAt - began) / 1_000)]?.push(performance.now() - dueAt);
    if (status !== 200 && failures.length < 5) failures.push(`${path}: ${status} ${text.slice(0, 200)}`);
  }

  const requests: Promise<void>[] = [];
  for (let turn = 1; ; turn += 1) {
    const dueAt = began + (turn * 1_000) / REQUESTS_PER_SECOND;
    if (dueAt >= began + forMs) break;
    await pause(Math.max(0, dueAt - performance.now()));
    requests.push(ask(turn, dueAt));
  }
  await Promise.all(requests);
  end();
  newcomer.end();
  return { seconds, failures };
}

process.on("message", (neighbour: Neighbour) => {
  void run(neighbour).then((outcome) => process.send?.(outcome));
});
process.on("disconnect", () => process.exit());
