import { setTimeout as pause } from "node:timers/promises";
import type { Load } from "../load.ts";
import { type Fault, type Injected, SOME, untilInstant, without } from "./fault.ts";

/** Interval of the edits. Posts at one instant would be a burst, whose lateness would hide that of the edits. */
const APART_MS = 100;
const SEEN_MS = 5_000;

/** Moves every event to five seconds from now, so that a replica without broadcasts must read the feed before. */
async function moveAllNear(load: Load): Promise<Injected> {
  for (const event of load.events) {
    await load.move(event, Date.now() + SEEN_MS);
    await pause(APART_MS);
  }
  return { times: load.events.length, latestMs: 1_000 };
}

/** Moves each event to a later time, at a random instant of the last three seconds before it is due. */
async function moveAtTheLastMoment(load: Load): Promise<Injected> {
  await Promise.all(
    load.events.map(async (event) => {
      const { dueAt } = event;
      await untilInstant(dueAt - Math.random() * 3_000);
      await load.move(event, dueAt + SEEN_MS);
    }),
  );
  return { times: load.events.length };
}

export const EDITS: readonly Fault[] = [
  {
    name: "every broadcast dropped, events moved to 5 s from now",
    shape: SOME,
    leadMs: 600_000,
    setup: { breaks: ["ignore-broadcasts"] },
    inject: (_cluster, load) => moveAllNear(load),
    control: without("the feeds are read every 2 s, not every 20 s"),
  },
  {
    name: "events moved 0 to 3 s before they are due, no broadcast",
    shape: SOME,
    setup: { breaks: ["ignore-broadcasts"] },
    inject: (_cluster, load) => moveAtTheLastMoment(load),
    control: without("a post is compared with its owners' data at the due instant"),
  },
];
