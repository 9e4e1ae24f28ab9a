import { LRUCache } from "lru-cache";
import { type SlidingWindow, slidingWindow } from "../sliding-window.ts";

/** A twentieth of what this process allows itself of invalid requests: one guild can't use them up for all. */
const MAX_REFUSALS = 50;
const WINDOW_MS = 600_000;
const MAX_GUILDS = 2_000;

/** Counts how often the channels that a guild names refuse: Discord bans an address from which many refused requests come. */
export interface GuildRefusals {
  /** Milliseconds until the guild may try another channel; 0 when it may now. */
  wait(guildId: string, now: number): number;
  add(guildId: string, now: number): void;
}

export function guildRefusals(): GuildRefusals {
  const windows = new LRUCache<string, SlidingWindow>({ max: MAX_GUILDS });
  return {
    wait: (guildId, now) => windows.get(guildId)?.wait(now) ?? 0,
    add(guildId, now) {
      const window = windows.get(guildId) ?? slidingWindow(MAX_REFUSALS, WINDOW_MS);
      window.add(now);
      windows.set(guildId, window);
    },
  };
}
