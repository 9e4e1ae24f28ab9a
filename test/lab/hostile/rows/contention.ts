import { setTimeout as pause } from "node:timers/promises";
import type { HostileRow, Stage } from "../row.ts";

const GUILD = "3201";
const AT_ONCE = 50;
/** The slowest of those at once takes this much longer than as many one after the other, at most. */
const MAX_SHARE = 1.5;
const ALONE = 30;
/** A guild may ask for 6 000 things a minute. */
const ROUND_MS = 1_500;

interface Change {
  readonly status: number;
  readonly tookMs: number;
}

let eventId = "";
let aloneMs = 0;
/** The slowest of each round of changes, and what was not answered with 200. */
let slowest: number[] = [];
let refused = new Map<string, number>();

/** One guild changes one series fifty times at once, and creates fifty announcements at once, round after round. */
export const CONTENTION: HostileRow = {
  name: "one key changes one series, and creates announcements, fifty at a time",
  attackMs: 20_000,
  prepare: measureAlone,
  async attack(stage, signal) {
    const key = await stage.createKey(GUILD);
    slowest = [];
    refused = new Map();
    const note = (kind: string, { status }: Change) => {
      if (status !== 200) refused.set(`${kind}: ${status}`, (refused.get(`${kind}: ${status}`) ?? 0) + 1);
    };
    const fifty = Array.from({ length: AT_ONCE }, (_, at) => at);
    while (!signal.aborted) {
      const round = pause(ROUND_MS);
      const changes = await Promise.all(fifty.map((at) => change(stage, key, at)));
      for (const each of changes) note("a change", each);
      slowest.push(Math.max(...changes.map(({ tookMs }) => tookMs)));
      const created = await Promise.all(fifty.map(() => announce(stage, key)));
      for (const each of created) note("a create", each);
      await Promise.all(created.map(({ id }) => timed(stage, "/v1/announcement/delete", key, { guild_id: GUILD, id })));
      await round;
    }
  },
  async check() {
    const most = MAX_SHARE * AT_ONCE * aloneMs;
    const worst = Math.max(...slowest);
    return [
      ...[...refused].map(([what, times]) => `${what}, ${times} times`),
      ...(worst <= most
        ? []
        : [`the slowest change took ${worst.toFixed(0)} ms, and one alone ${aloneMs.toFixed(1)} ms`]),
    ];
  },
  control: {
    name: "the queue of a document's writes, and the turns of a guild",
    without: [
      "writes of one document begin one after the other",
      "a guild has so many requests under way, and fewer large lists",
    ],
  },
};

async function measureAlone(stage: Stage): Promise<void> {
  const series = { epoch_start: Date.now(), epoch_end: Date.now() + 3_600_000, recur: true };
  const body = { guild_id: GUILD, calendar_number: 1, ...series, recurrence: { frequency: "DAILY" } };
  ({ id: eventId } = await stage.ask<{ id: string }>("/v2/events/create", body));
  const took: number[] = [];
  for (let at = 0; at < ALONE; at += 1) took.push((await change(stage, stage.operatorKey, at)).tookMs);
  aloneMs = took.toSorted((one, other) => one - other)[ALONE / 2]!;
}

function change(stage: Stage, key: string, at: number): Promise<Change> {
  const body = { guild_id: GUILD, calendar_number: 1, event_id: eventId, name: `change ${at}` };
  return timed(stage, "/v2/events/update", key, body);
}

function announce(stage: Stage, key: string): Promise<Change & { readonly id: unknown }> {
  const rule = { guild_id: GUILD, channel: "1", type: "COLOR", event_color: "RED", hours: 0, minutes: 0, info: "" };
  return timed(stage, "/v1/announcement/create", key, rule);
}

async function timed(
  stage: Stage,
  path: string,
  key: string,
  body: object,
): Promise<Change & { readonly id: unknown }> {
  const began = performance.now();
  const { status, text } = await stage.post(path, key, JSON.stringify(body));
  const { id } = (text === "" ? {} : JSON.parse(text)) as { id?: unknown };
  return { status, tookMs: performance.now() - began, id };
}
