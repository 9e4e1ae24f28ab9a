import { setTimeout as pause } from "node:timers/promises";
import type { Load } from "../load.ts";
import { type Fault, type Injected, SOME, untilInstant, without } from "./fault.ts";

/** So far apart the posts of two events are no burst, whose own lateness would hide that of the edits. */
const APART_MS = 100;
const SEEN_MS = 5_000;

/** Moves every event to five seconds from now: who hears no broadcast must have read it by then. */
async function moveAllNear(load: Load): Promise<Injected> {
  for (const event of load.events) {
    await load.move(event, Date.now() + SEEN_MS);
    await pause(APART_MS);
  }
  return { times: load.events.length, latestMs: 1_000 };
}

/** Moves each event away at a random instant of the last three seconds before it is due. */
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
    setup: { breaks: ["deaf-to-broadcasts"] },
    inject: (_cluster, load) => moveAllNear(load),
    control: without("the feeds are read every 2 s, not every 20 s"),
  },
  {
    name: "events moved 0 to 3 s before they are due, unheard",
    shape: SOME,
    setup: { breaks: ["deaf-to-broadcasts"] },
    inject: (_cluster, load) => moveAtTheLastMoment(load),
    control: without("what the owners say at the due instant is heeded"),
  },
];
