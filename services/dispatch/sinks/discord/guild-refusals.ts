import { LRUCache } from "lru-cache";
import { type SlidingWindow, slidingWindow } from "../sliding-window.ts";

/** A twentieth of this process's invalid requests, so that one guild can't use them all up. */
const MAX_REFUSALS = 50;
const WINDOW_MS = 600_000;
const MAX_GUILDS = 2_000;

/** Limits the refused requests of each guild, because Discord bans addresses with many refused requests. */
export interface GuildRefusals {
  /** Milliseconds until the guild may try another channel; 0 if it may now. */
  waitMs(guildId: string, now: number): number;
  add(guildId: string, now: number): void;
}

export function guildRefusals(): GuildRefusals {
  const windows = new LRUCache<string, SlidingWindow>({ max: MAX_GUILDS });
  return {
    waitMs: (guildId, now) => windows.get(guildId)?.waitMs(now) ?? 0,
    add(guildId, now) {
      const window = windows.get(guildId) ?? slidingWindow(() => MAX_REFUSALS, WINDOW_MS);
      window.add(now);
      windows.set(guildId, window);
    },
  };
}
