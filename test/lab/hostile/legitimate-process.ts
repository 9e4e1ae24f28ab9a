import { postClient } from "./post-client.ts";

interface GuildKey {
  readonly guild: string;
  readonly key: string;
}

/** Legitimate clients. Each uses its guilds in turn, and sends the next request after each response. */
export interface LegitimateLoad {
  readonly port: number;
  readonly clients: readonly (readonly GuildKey[])[];
  readonly forMs: number;
}

export interface LegitimateOutcome {
  readonly perSecond: number;
  /** 99th percentile of the latency, in milliseconds. */
  readonly p99: number;
  /** Descriptions of the first few requests without a 200. */
  readonly failures: readonly string[];
}

const EPOCH = 1_893_456_000_000;
const WRITE_EVERY = 10;

function eventOf(guild: string): object {
  return { guild_id: guild, calendar_number: 1, epoch_start: EPOCH, epoch_end: EPOCH + 1 };
}

function requestOf(guild: string, turn: number): readonly [path: string, body: object] {
  const calendar = { guild_id: guild, calendar_number: 1 };
  if (turn % WRITE_EVERY === 0) {
    return ["/v2/events/update", { ...calendar, name: `turn ${turn}` }];
  }
  if (turn % 3 === 0) return ["/v2/guild/settings/get", { guild_id: guild }];
  if (turn % 3 === 1) return ["/v1/announcement/list", { guild_id: guild, amount: -1 }];
  return ["/v2/events/list/date", { ...calendar, epoch_start: EPOCH }];
}

async function run({ port, clients, forMs }: LegitimateLoad): Promise<LegitimateOutcome> {
  const { post, end } = postClient(port, clients.length);
  const failures: string[] = [];
  const took: number[] = [];
  const began = performance.now();

  async function client(own: readonly GuildKey[]): Promise<void> {
    const subjects = await Promise.all(
      own.map(async ({ guild, key }) => {
        const created = await post("/v2/events/create", key, JSON.stringify(eventOf(guild)));
        return { guild, key, id: (JSON.parse(created.text) as { id: string }).id };
      }),
    );
    for (let turn = 1; performance.now() - began < forMs; turn += 1) {
      const { guild, key, id } = subjects[Math.floor(turn / WRITE_EVERY) % subjects.length]!;
      const [path, body] = requestOf(guild, turn);
      const sentAt = performance.now();
      const { status, text } = await post(path, key, JSON.stringify({ ...body, event_id: id }));
      took.push(performance.now() - sentAt);
      if (status !== 200) failures.push(`${path}: ${status} ${text}`);
    }
    for (const { guild, key, id } of subjects) {
      await post("/v2/events/delete", key, JSON.stringify({ ...eventOf(guild), event_id: id }));
    }
  }

  await Promise.all(clients.map(client));
  end();
  const sorted = took.toSorted((one, other) => one - other);
  const seconds = (performance.now() - began) / 1000;
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  return { perSecond: took.length / seconds, p99, failures: failures.slice(0, 5) };
}

process.on("message", (load: LegitimateLoad) => {
  void run(load).then((outcome) => process.send?.(outcome));
});
process.on("disconnect", () => process.exit());
