import { setTimeout as pause } from "node:timers/promises";
import { postClient, type Post } from "../post-client.ts";
import type { HostileRow } from "../row.ts";
import { startProcesses } from "../separate-processes.ts";
import { startTarget } from "../stage.ts";

const GUILD = "3201";
const CHANGES_AT_ONCE = 50;
const CREATES_AT_ONCE = 100;
/** Maximum ratio of the slowest concurrent write to the time of as many writes one after the other. */
const MAX_SHARE = 1.5;
const ALONE = 30;
/** Minimum duration of a round of 250 requests, since a guild may send 6 000 requests per minute. */
const ROUND_MS = 2_500;

interface TimedResponse {
  readonly status: number;
  readonly tookMs: number;
  readonly id: unknown;
}

/** The latency of one kind of write alone, and of the slowest one in each round of concurrent writes. */
class Contended {
  readonly kind: string;
  readonly atOnce: number;
  #aloneMs = 0;
  #slowest: number[] = [];
  #refused = new Map<number, number>();

  constructor(kind: string, atOnce: number) {
    this.kind = kind;
    this.atOnce = atOnce;
  }

  /** Measures the median of writes one after the other. */
  async measureAlone(write: (at: number) => Promise<TimedResponse>): Promise<readonly TimedResponse[]> {
    [this.#slowest, this.#refused] = [[], new Map()];
    const responses: TimedResponse[] = [];
    for (let at = 0; at < ALONE; at += 1) responses.push(await write(at));
    this.#aloneMs = responses.map(({ tookMs }) => tookMs).toSorted((one, other) => one - other)[ALONE / 2]!;
    return responses;
  }

  async round(write: (at: number) => Promise<TimedResponse>): Promise<readonly TimedResponse[]> {
    const responses = await Promise.all(Array.from({ length: this.atOnce }, (_, at) => write(at)));
    this.#slowest.push(Math.max(...responses.map(({ tookMs }) => tookMs)));
    for (const { status } of responses) {
      if (status !== 200) this.#refused.set(status, (this.#refused.get(status) ?? 0) + 1);
    }
    return responses;
  }

  problems(): string[] {
    const worst = Math.max(...this.#slowest);
    const refused = [...this.#refused].map(([status, times]) => `${this.kind}: ${status}, ${times} times`);
    if (worst <= MAX_SHARE * this.atOnce * this.#aloneMs) return refused;
    const slow = `the slowest ${this.kind} took ${worst.toFixed(0)} ms, and one alone ${this.#aloneMs.toFixed(1)} ms`;
    return [...refused, slow];
  }
}

/** One guild sends rounds of fifty concurrent changes of one series and a hundred concurrent creates of announcements. */
export const CONTENTION: HostileRow = contention(
  "one key changes one series fifty times at once, and creates a hundred announcements",
  1,
);
/** The same load, in turn at two gateways with two replicas of each owner service. */
export const CONTENTION_OF_REPLICAS: HostileRow = contention(
  "one key does so through two gateways, with two replicas of each owner",
  2,
);

function contention(name: string, replicas: 1 | 2): HostileRow {
  const changes = new Contended("change", CHANGES_AT_ONCE);
  const creates = new Contended("create", CREATES_AT_ONCE);
  let gateways: readonly number[] = [];
  let eventId = "";

  const change = (post: Post, key: string, at: number) =>
    timed(post, "/v2/events/update", key, {
      guild_id: GUILD,
      calendar_number: 1,
      event_id: eventId,
      name: `change ${at}`,
    });

  return {
    name,
    attackMs: 20_000,
    async start(env) {
      if (replicas === 1) {
        const target = await startTarget(env);
        gateways = [target.port];
        return target;
      }
      const processes = await startProcesses(env, { replicas });
      ({ gateways } = processes);
      return processes.target;
    },
    async prepare({ post, ask, operatorKey }) {
      const series = { epoch_start: Date.now(), epoch_end: Date.now() + 3_600_000, recur: true };
      const body = { guild_id: GUILD, calendar_number: 1, ...series, recurrence: { frequency: "DAILY" } };
      ({ id: eventId } = await ask<{ id: string }>("/v2/events/create", body));
      await changes.measureAlone((at) => change(post, operatorKey, at));
      await remove(post, operatorKey, await creates.measureAlone(() => announce(post, operatorKey)));
    },
    async attack(stage, signal) {
      const key = await stage.createKey(GUILD);
      const clients = gateways.map((port) => postClient(port, CREATES_AT_ONCE));
      const { post: first } = clients[0]!;
      const postOf = (at: number) => clients[at % clients.length]!.post;
      while (!signal.aborted) {
        const round = pause(ROUND_MS);
        await changes.round((at) => change(postOf(at), key, at));
        await remove(first, key, await creates.round((at) => announce(postOf(at), key)));
        await round;
      }
      for (const { end } of clients) end();
    },
    check: async () => [...changes.problems(), ...creates.problems()],
    control: {
      name: "the queue of a document's writes, and the limit on a guild's concurrent requests",
      without: [
        "writes of one document are started one after the other",
        "the concurrent requests of a guild are limited, large lists more than others",
      ],
    },
  };
}

function announce(post: Post, key: string): Promise<TimedResponse> {
  const rule = { guild_id: GUILD, channel: "1", type: "COLOR", event_color: "RED", hours: 0, minutes: 0, info: "" };
  return timed(post, "/v1/announcement/create", key, rule);
}

async function remove(post: Post, key: string, created: readonly TimedResponse[]): Promise<void> {
  await Promise.all(created.map(({ id }) => timed(post, "/v1/announcement/delete", key, { guild_id: GUILD, id })));
}

async function timed(post: Post, path: string, key: string, body: object): Promise<TimedResponse> {
  const began = performance.now();
  const { status, text } = await post(path, key, JSON.stringify(body));
  const { id } = (text === "" ? {} : JSON.parse(text)) as { id?: unknown };
  return { status, tookMs: performance.now() - began, id };
}
