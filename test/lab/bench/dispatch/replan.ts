import mongoose, { type Connection } from "mongoose";
import { startChatServer } from "../../../real-parts/chat-server.ts";
import type { DuePost } from "./contender.ts";
import { launch, makeTruth, plannedAre } from "./guildcal-contender.ts";

const GUILDS = 1_000;
const POSTS_PER_GUILD = 10;
const HOUR_MS = 3_600_000;

/** A thousand guilds that dispatch knows nothing of: how long from the start of the process until all are planned. */
export async function replan(mongoUrl: string): Promise<void> {
  console.log(`\n${GUILDS} guilds with ${POSTS_PER_GUILD} posts each are planned from nothing`);
  const chat = await startChatServer();
  const connection = await mongoose.createConnection(mongoUrl).asPromise();
  try {
    await makeTruth({ mongoUrl }, guildsPosts());
    await forgetPlans(connection);
    const launched = await launch({ mongoUrl, chatUrl: chat.url, token: chat.token });
    const ready = performance.now();
    await plannedAre(connection, GUILDS * POSTS_PER_GUILD);
    console.log(`  guildcal    ${((performance.now() - ready) / 1000).toFixed(1)} s after it was ready`);
    await launched.end("SIGKILL");
  } finally {
    await connection.close();
    await chat.stop();
  }
}

function guildsPosts(): DuePost[] {
  return Array.from({ length: GUILDS * POSTS_PER_GUILD }, (_, at) => ({
    title: `post ${at}`,
    guildId: String(1 + (at % GUILDS)),
    dueAt: Date.now() + HOUR_MS + at * 1_000,
  }));
}

async function forgetPlans(connection: Connection): Promise<void> {
  for (const name of ["posts", "guild_plans", "plan_sources", "feed_marks"]) {
    await connection.collection(name).deleteMany({});
  }
}
