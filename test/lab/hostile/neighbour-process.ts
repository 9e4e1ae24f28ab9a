import { setTimeout as pause } from "node:timers/promises";
import { asker } from "./asker.ts";

/** A guild that makes its usual requests while others attack. */
export interface Neighbour {
  readonly port: number;
  readonly guild: string;
  readonly key: string;
  readonly forMs: number;
}

export interface NeighbourOutcome {
  /** Of requests per window of 1 s, in order: from the instant at which each was meant to be sent, in milliseconds. */
  readonly seconds: readonly (readonly number[])[];
  /** The first few answers that were not 200, in words. */
  readonly failures: readonly string[];
}

/** Half of what REQUESTS_PER_GUILD allows by default. */
const REQUESTS_PER_SECOND = 50;
const WRITE_EVERY = 10;
/** Some come on a connection of their own: a bot that starts must get in, too. */
const NEW_CONNECTION_EVERY = 7;
const START = 1_893_456_000_000;

function requestOf(guild: string, eventId: string, turn: number): readonly [path: string, body: object] {
  const calendar = { guild_id: guild, calendar_number: 1 };
  if (turn % WRITE_EVERY === 0) return ["/v2/events/update", { ...calendar, event_id: eventId, name: `turn ${turn}` }];
  if (turn % 3 === 0) return ["/v2/guild/settings/get", { guild_id: guild }];
  if (turn % 3 === 1) return ["/v1/announcement/list", { guild_id: guild, amount: -1 }];
  return ["/v2/events/list/date", { ...calendar, epoch_start: START }];
}

/** Sends at a fixed pace, whether earlier requests are answered or not, so that no wait hides another. */
async function run({ port, guild, key, forMs }: Neighbour): Promise<NeighbourOutcome> {
  const { post, end } = asker(port, REQUESTS_PER_SECOND);
  const newcomer = asker(port, REQUESTS_PER_SECOND, false);
  const failures: string[] = [];
  const seconds: number[][] = Array.from({ length: Math.ceil(forMs / 1_000) }, () => []);
  const event = { guild_id: guild, calendar_number: 1, epoch_start: START, epoch_end: START + 1 };
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

  const asked: Promise<void>[] = [];
  for (let turn = 1; ; turn += 1) {
    const dueAt = began + (turn * 1_000) / REQUESTS_PER_SECOND;
    if (dueAt >= began + forMs) break;
    await pause(Math.max(0, dueAt - performance.now()));
    asked.push(ask(turn, dueAt));
  }
  await Promise.all(asked);
  end();
  newcomer.end();
  return { seconds, failures };
}

process.on("message", (neighbour: Neighbour) => {
  void run(neighbour).then((outcome) => process.send?.(outcome));
});
process.on("disconnect", () => process.exit());
