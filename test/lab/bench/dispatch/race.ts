import { readFile } from "node:fs/promises";
import { processorMsOf } from "../processor-time.ts";
import type { ChatServer } from "../../../real-parts/chat-server.ts";
import { until } from "../../../real-parts/until.ts";
import type { ClaimedPost, Contender, DuePost } from "./contender.ts";

/** In milliseconds. */
export interface Lateness {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** What became of the posts of one run, as the receiver saw them. */
export interface Result {
  readonly contender: string;
  readonly due: number;
  readonly received: number;
  /** Received more than once. */
  readonly doubled: number;
  readonly early: number;
  /** Receipt minus due instant. */
  readonly lateness: Lateness;
  /** Claim minus due instant, where there are claims. */
  readonly claimLateness?: Lateness;
  /** Processor time of the contender's processes for a post, in milliseconds. */
  readonly cpuMs: number;
  /** The contender's resident memory after the last post, in MiB. */
  readonly residentMiB: number;
}

/** How the posts of one run are spread. */
export interface RaceShape {
  readonly posts: number;
  /** From the first due instant to the last. */
  readonly spreadMs: number;
  readonly guilds: number;
  /** How late those are that are due so soon after the first is not counted: code that never ran is slow. */
  readonly warmUpMs: number;
}

const PATIENCE_MS = 120_000;
/** Taking in takes this much for each post, at the slowest. */
const TAKE_IN_MS_PER_POST = 6;
const LEAST_LEAD_MS = 8_000;
let races = 0;

/** Lets a contender take in the posts, and watches the receiver until all have come. */
export async function race(contender: Contender, chat: ChatServer, shape: RaceShape): Promise<Result> {
  const posts = duePosts(shape);
  await contender.takeIn(posts);
  const [first, last] = [posts[0] as DuePost, posts.at(-1) as DuePost];
  if (Date.now() > first.dueAt - 1_000) throw new Error(`${contender.name} took the posts in too late`);
  await until(() => Date.now() > first.dueAt - 1_000, "the first due instant", PATIENCE_MS);
  const cpuBefore = await cpuOf(contender.pids);
  const before = chat.requests.length;
  await until(() => Date.now() > last.dueAt, "the last due instant", shape.spreadMs + PATIENCE_MS);
  const due = new Map(posts.map(({ title, dueAt }) => [title, dueAt]));
  const arrived = () => receipts(chat, due);
  // The receiver has the same processor: it is not to count its messages a hundred times a second.
  const mayBeAll = () => chat.requests.length - before >= posts.length;
  await until(() => mayBeAll() && arrived().length >= posts.length, "every post", PATIENCE_MS).catch(() => undefined);
  const cpuMs = ((await cpuOf(contender.pids)) - cpuBefore) / posts.length;
  const residentMiB = await residentOf(contender.pids);
  const warmAt = first.dueAt + shape.warmUpMs;
  const claims = await contender.claims?.();
  return {
    contender: contender.name,
    due: posts.length,
    cpuMs,
    residentMiB,
    ...verdict(arrived(), warmAt),
    ...(claims && { claimLateness: latenessOf(claims.filter(isOf(first, last)).map(asClaim), warmAt) }),
  };
}

function duePosts({ posts, spreadMs, guilds }: RaceShape): DuePost[] {
  races += 1;
  const firstDueAt = Date.now() + LEAST_LEAD_MS + posts * TAKE_IN_MS_PER_POST;
  return Array.from({ length: posts }, (_, at) => ({
    title: `race ${races} post ${at}`,
    guildId: String(races * 10_000 + (at % guilds)),
    dueAt: firstDueAt + Math.floor((at / posts) * spreadMs),
  }));
}

/** Something that was to happen at an instant. */
interface Happened {
  readonly dueAt: number;
  readonly lateMs: number;
}

interface Receipt extends Happened {
  readonly title: string;
}

function receipts(chat: ChatServer, due: ReadonlyMap<string, number>): Receipt[] {
  return chat.messages().flatMap(({ embeds, receivedAt }) => {
    const { title = "" } = (embeds[0] ?? {}) as { title?: string };
    const dueAt = due.get(title);
    return dueAt === undefined ? [] : [{ title, dueAt, lateMs: receivedAt - dueAt }];
  });
}

/** An earlier race may have left its own. */
function isOf(first: DuePost, last: DuePost): (claim: ClaimedPost) => boolean {
  return ({ dueAt }) => dueAt >= first.dueAt && dueAt <= last.dueAt;
}

function asClaim({ dueAt, claimedAt }: ClaimedPost): Happened {
  return { dueAt, lateMs: claimedAt - dueAt };
}

function verdict(arrived: readonly Receipt[], warmAt: number) {
  const titles = new Set(arrived.map(({ title }) => title));
  return {
    received: titles.size,
    doubled: arrived.length - titles.size,
    early: arrived.filter(({ lateMs }) => lateMs < 0).length,
    lateness: latenessOf(arrived, warmAt),
  };
}

function latenessOf(all: readonly Happened[], warmAt: number): Lateness {
  const sorted = all
    .filter(({ dueAt }) => dueAt >= warmAt)
    .map(({ lateMs }) => lateMs)
    .toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
  return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? NaN };
}

/** User and system time of processes so far, in milliseconds. */
async function cpuOf(pids: readonly number[]): Promise<number> {
  const times = await Promise.all(pids.map(processorMsOf));
  return times.reduce((sum, time) => sum + time, 0);
}

async function residentOf(pids: readonly number[]): Promise<number> {
  const sizes = await Promise.all(
    pids.map(async (pid) => Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0)),
  );
  return Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1024);
}
