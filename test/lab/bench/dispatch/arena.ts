import { startChatServer } from "../../../real-parts/chat-server.ts";
import type { Arena, Contender } from "./contender.ts";
import { type Lateness, race, type RaceShape, type Result } from "./race.ts";

export type Start = (arena: Arena) => Promise<Contender>;

const NO_LIMITS = { perBucket: 1_000_000_000, overall: 1_000_000_000 };

export type Meet = (start: Start, shape: RaceShape) => Promise<Result>;

export async function inArena(mongoUrl: string, work: (arena: Arena, meet: Meet) => Promise<void>): Promise<void> {
  const chat = await startChatServer({ limits: NO_LIMITS });
  const arena = { mongoUrl, chatUrl: chat.url, token: chat.token };
  try {
    await work(arena, async (start, shape) => {
      const contender = await start(arena);
      try {
        return await race(contender, chat, shape);
      } finally {
        await contender.stop();
      }
    });
  } finally {
    await chat.stop();
  }
}

export function databaseOf(mongoUrl: string, name: string): string {
  const url = new URL(mongoUrl);
  url.pathname = `/${name}`;
  return url.toString();
}

/** A run in one line. */
export function inWordsOf({ contender, due, received, doubled, early, cpuMs, residentMiB, ...result }: Result): string {
  const claimed = result.claimLateness && `, claimed ${inWords(result.claimLateness)}`;
  const late = `received ${inWords(result.lateness)}${claimed ?? ""}`;
  const counts = `${received} of ${due} received, ${doubled} doubled, ${early} early`;
  return `${contender.padEnd(12)}${late} | ${counts} | ${cpuMs.toFixed(2)} ms CPU a post | ${residentMiB} MiB`;
}

function inWords({ p50, p99, max }: Lateness): string {
  return `p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} max ${max.toFixed(0)} ms late`;
}
