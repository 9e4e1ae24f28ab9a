import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import mongoose from "mongoose";
import { startMongod } from "../../../services/launch/embedded/embedded-mongod.ts";
import { databaseOf, inArena, inWordsOf, type Start } from "./dispatch/arena.ts";
import { clearAhead, planAhead } from "./dispatch/future-posts.ts";
import { startGuildcal, startOverNats } from "./dispatch/guildcal-contender.ts";
import type { RaceShape, Result } from "./dispatch/race.ts";
import { replan } from "./dispatch/replan.ts";
import { startRival } from "./dispatch/rival-process.ts";

/** A channel takes five messages in some five seconds from Discord; every guild here has one channel. */
const STEADY: RaceShape = { posts: 12_500, spreadMs: 25_000, guilds: 500, warmUpMs: 5_000 };
const BURST: RaceShape = { posts: 5_000, spreadMs: 1_000, guilds: 1_000, warmUpMs: 0 };
const INSTANT: RaceShape = { ...BURST, spreadMs: 0 };
const AMID_MANY: RaceShape = { posts: 2_500, spreadMs: 25_000, guilds: 200, warmUpMs: 5_000 };
const MANY = 1_000_000;

const CONTENDERS: Readonly<Record<string, Start>> = {
  setTimeout: (arena) => startRival("setTimeout", "timer-rival.ts", arena),
  agenda: (arena) => startRival("agenda", "agenda-rival.ts", arena),
  guildcal: startGuildcal,
  nats: startOverNats(1),
  nats2: startOverNats(2),
};
/** Those that nobody has to name. */
const USUAL = ["setTimeout", "agenda", "guildcal"];
const ROWS = ["steady", "burst", "instant", "ahead", "replan"];

/**
 * `npm run bench:dispatch`: the same posts by a bare timer, by Agenda and by guildcal, on one mongod and to one chat
 * server. Words after it choose among the rows (steady, burst, instant, ahead, replan) and the contenders (setTimeout, agenda,
 * guildcal, and by name alone nats and nats2: one and two replicas of dispatch, each with a fifth of a CPU).
 */
async function main(words: readonly string[]): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "guildcal-bench-"));
  const mongod = await startMongod(directory);
  const among = (names: readonly string[], unlessSaid = names) => {
    const chosen = names.filter((name) => words.includes(name));
    return chosen.length === 0 ? unlessSaid : chosen;
  };
  const wanted = (row: string) => among(ROWS).includes(row);
  const starts = among(Object.keys(CONTENDERS), USUAL).map((name) => CONTENDERS[name] as Start);
  console.log(`${cpus().length} processors, ${cpus()[0]?.model}, node ${process.version}`);
  try {
    if (wanted("steady"))
      await compare(mongod.url, "500 posts a second for 20 s, after 5 s to warm up", STEADY, starts);
    if (wanted("burst")) await compare(mongod.url, "5 000 posts in one second", BURST, starts);
    if (wanted("instant")) await compare(mongod.url, "5 000 posts in one instant", INSTANT, starts);
    if (wanted("ahead")) await amidMany(mongod.url);
    if (wanted("replan")) await replan(databaseOf(mongod.url, "replan"));
  } finally {
    await mongod.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function compare(mongoUrl: string, title: string, shape: RaceShape, starts: readonly Start[]): Promise<void> {
  console.log(`\n${title}`);
  for (const start of starts) {
    await inArena(databaseOf(mongoUrl, `race${Date.now()}`), async (_, meet) => show(await meet(start, shape)));
  }
}

/** The same posts with nothing else in the plan, and amid a million that are due later. */
async function amidMany(mongoUrl: string): Promise<void> {
  console.log(`\n100 posts a second for 20 s after 5 s to warm up, alone and with ${MANY} others planned ahead`);
  await inArena(databaseOf(mongoUrl, "ahead"), async (arena, meet) => {
    show(await meet(startGuildcal, AMID_MANY));
    const connection = await mongoose.createConnection(arena.mongoUrl).asPromise();
    await planAhead(connection, MANY);
    show(await meet(startGuildcal, AMID_MANY));
    await clearAhead(connection);
    await connection.close();
  });
}

function show(result: Result): void {
  console.log(`  ${inWordsOf(result)}`);
}

await main(process.argv.slice(2));
