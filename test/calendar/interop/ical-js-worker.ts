import { parentPort } from "node:worker_threads";
import type { Window } from "../../../services/contracts/window.ts";
import { startsInFeed } from "../read-feed.ts";

/** Answers each body with its starts as ical.js reads them; with none if ical.js refuses it. */
parentPort?.on("message", ({ text, window, timezone }: { text: string; window: Window; timezone: string }) => {
  let starts: number[] = [];
  try {
    starts = startsInFeed(text, window, timezone);
  } catch {
    // A refused rule has no starts, which differs from ours.
  }
  // A thread of Node has no origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage(starts);
});
