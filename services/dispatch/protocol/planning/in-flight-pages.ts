import { newSlots } from "./slots.ts";

/** Bounds the pages and guilds of a feed that are being planned. Pages complete in the order in which they were read. */
export interface InFlightPages {
  waitForGuildSlot(): Promise<void>;
  trackGuild(planned: Promise<void>): Promise<void>;
  waitForPageSlot(): Promise<void>;
  trackPage(planned: Promise<unknown>, done: () => Promise<void>): void;
}

/** About as many as are planned in a second: a guild that changes now waits for no more than these. */
const MAX_GUILDS = 64;
const MAX_PAGES = 16;

/** @param onPlanned - Called after each guild. */
export function newInFlightPages(onPlanned: () => void): InFlightPages {
  const guilds = newSlots(MAX_GUILDS);
  const pages = newSlots(MAX_PAGES);
  let before: Promise<void> = Promise.resolve();

  async function inOrder(after: Promise<void>, planned: Promise<unknown>, done: () => Promise<void>): Promise<void> {
    await after;
    await planned;
    await done();
  }

  return {
    waitForGuildSlot: guilds.wait,
    trackGuild: (planned) => guilds.occupy(planned.finally(onPlanned)),
    waitForPageSlot: pages.wait,
    trackPage(planned, done) {
      before = pages.occupy(inOrder(before, planned, done));
    },
  };
}
