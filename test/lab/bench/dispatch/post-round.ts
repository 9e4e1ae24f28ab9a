import mongoose, { type Connection } from "mongoose";
import { STANDARD_TIMING } from "../../../../services/dispatch/protocol/timing.ts";
import { type ChatServer, startChatServer } from "../../../harness/chat-server.ts";
import { until } from "../../../harness/until.ts";
import { quantile } from "../requests/figures.ts";
import { type DuePost, duePosts, type Spread } from "./due-posts.ts";
import type { Installation, StartInstallation } from "./installations.ts";
import { planPosts } from "./plan-posts.ts";
import { processorMsOf } from "../processor-time.ts";

/** In milliseconds. */
export interface Lateness {
  readonly p50: number;
  readonly p99: number;
  readonly last: number;
}

/** The figures of one round of posts. */
export interface PostRound {
  /** Time from the due instant to the claim, by the database's clock. */
  readonly claimed: Lateness;
  /** Time from the due instant to the receipt of the message. */
  readonly received: Lateness;
  /** Processor time of the measured processes per post, in milliseconds. */
  readonly cpuMs: number;
}

/** More than any round has; channels are limited in other tests. */
const NO_LIMITS = { perBucket: 1_000_000_000, overall: 1_000_000_000 };
const MAX_WAIT_MS = 120_000;

/** Starts an installation, waits until it has planned and sent the posts, and ends it. Throws if a post is lost, doubled or early. */
export async function postRound(mongoUrl: string, start: StartInstallation, spread: Spread): Promise<PostRound> {
  const chat = await startChatServer({ limits: NO_LIMITS });
  const connection = await mongoose.createConnection(mongoUrl).asPromise();
  try {
    const installation = await start({ mongoUrl, chatUrl: chat.url, token: chat.token });
    try {
      return await measure(mongoUrl, connection, chat, installation, spread);
    } finally {
      await installation.stop();
    }
  } finally {
    await connection.close();
    await chat.stop();
  }
}

async function measure(
  mongoUrl: string,
  connection: Connection,
  chat: ChatServer,
  installation: Installation,
  spread: Spread,
): Promise<PostRound> {
  const posts = duePosts(spread);
  await planPosts(mongoUrl, connection, posts);
  await installation.limit();
  const [first, last] = [posts[0] as DuePost, posts.at(-1) as DuePost];
  if (Date.now() > first.dueAt - 1_000) throw new Error("the posts were planned after the first was due");
  await until(() => Date.now() > first.dueAt - 1_000, "the second before the first due instant", MAX_WAIT_MS);
  const cpuBefore = await cpuOf(installation);
  await until(() => Date.now() > last.dueAt, "the last due instant", spread.spreadMs + MAX_WAIT_MS);
  const due = new Map(posts.map(({ title, dueAt }) => [title, dueAt]));
  const messages = () => chat.messages().filter(({ embeds }) => due.has(titleOf(embeds)));
  // The receiver runs in this process: reading its messages before enough have arrived would delay its responses.
  const mayBeAll = () => chat.requests.length >= posts.length;
  await until(() => mayBeAll() && messages().length >= posts.length, "every post is received", MAX_WAIT_MS);
  const cpuMs = ((await cpuOf(installation)) - cpuBefore) / posts.length;
  const received = messages().map(({ embeds, receivedAt }) => {
    const dueAt = due.get(titleOf(embeds)) as number;
    return { dueAt, lateMs: receivedAt - dueAt };
  });
  onceAndNotEarly(received, new Set(messages().map(({ embeds }) => titleOf(embeds))).size);
  const warmAt = first.dueAt + spread.warmUpMs;
  return { claimed: latenessOf(await claims(connection), warmAt), received: latenessOf(received, warmAt), cpuMs };
}

function titleOf(embeds: readonly unknown[]): string {
  return ((embeds[0] ?? {}) as { readonly title?: string }).title ?? "";
}

interface Late {
  readonly dueAt: number;
  readonly lateMs: number;
}

function onceAndNotEarly(received: readonly Late[], different: number): void {
  const early = received.filter(({ lateMs }) => lateMs < 0).length;
  if (different !== received.length || early > 0) {
    throw new Error(`${received.length - different} posts were received twice, ${early} early`);
  }
}

interface SentRow {
  readonly dueAt: Date;
  readonly wakeAt: Date;
}

/** The last claim of each post. `wakeAt` of a sent post is the end of its last lease. */
async function claims(connection: Connection): Promise<Late[]> {
  const rows = await connection.collection<SentRow>("posts").find({ state: "sent", sink: "discord" }).toArray();
  return rows.map(({ dueAt, wakeAt }) => ({
    dueAt: dueAt.getTime(),
    lateMs: wakeAt.getTime() - STANDARD_TIMING.leaseMs - dueAt.getTime(),
  }));
}

/** The lateness of those that were due at a time or later. */
export function latenessOf(all: readonly Late[], warmAt: number): Lateness {
  const sorted = Float64Array.from(all.filter(({ dueAt }) => dueAt >= warmAt).map(({ lateMs }) => lateMs)).sort();
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), last: quantile(sorted, 1) };
}

async function cpuOf({ pids }: Installation): Promise<number> {
  const times = await Promise.all(pids.map(processorMsOf));
  return times.reduce((sum, time) => sum + time, 0);
}
