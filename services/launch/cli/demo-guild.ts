import { pollUntil } from "../poll-until.ts";
import { StartupError } from "../run/startup-error.ts";
import { createAnnouncements } from "./demo-announcements.ts";
import { createCalendars, createRun, createTournaments, DemoClock, type Post, RAIDS } from "./demo-events.ts";

/** Minutes from the requests until the post that a reader of the console can wait for. */
const NEXT_DUE_IN_MINUTES = 1;
const LEAD_MINUTES = 60;
const TIMEOUT_MS = 30_000;

/**
 * Fills a guild with calendars, events and announcements, and waits for posts of several outcomes: sent, with an edited message;
 * skipped by a holiday, by a pause, and because the announcement came too late; cancelled by a move of the event.
 */
export async function fillDemoGuild(post: Post, now: number): Promise<void> {
  const clock = new DemoClock(now);
  const events = await createCalendars(post, clock);
  await createAnnouncements(post, clock, events);
  await createTournaments(post, clock);
  // The announcement exists already, so that this post is due as soon as the event is created.
  const started = await createRun(post, "Dungeon run", clock.inMinutes(LEAD_MINUTES - 15));
  const moved = await createRun(post, "Treasure hunt", clock.inMinutes(5 * LEAD_MINUTES));
  await createRun(post, "Boss rush", clock.inMinutes(LEAD_MINUTES + NEXT_DUE_IN_MINUTES));

  const isIn = async (list: "history" | "upcoming", eventId: string, holds: (entry: Json) => boolean = () => true) => {
    const { posts } = await post(`/v1/announcement/${list}`, { amount: -1 });
    return (posts as Json[]).some((each) => each["event_id"] === eventId && holds(each));
  };
  const update = (eventId: string, changes: Json) =>
    post("/v2/events/update", { calendar_number: RAIDS, event_id: eventId, ...changes });

  await eventually(() => isIn("history", started), "the first post");
  await eventually(() => isIn("upcoming", moved), "the plan");
  await update(started, { location: "Deadmines" });
  const start = clock.inMinutes(6 * LEAD_MINUTES);
  await update(moved, { epoch_start: start, epoch_end: start + 2 * LEAD_MINUTES * 60_000 });
  await eventually(() => isIn("history", moved), "the cancelled post");
  const isEdited = (entry: Json) => entry["state"] !== "sent" || entry["steps"] !== undefined;
  await eventually(() => isIn("history", started, isEdited), "the edited message");
}

type Json = Record<string, unknown>;

async function eventually(holds: () => Promise<boolean>, what: string): Promise<void> {
  const timeoutError = () => new StartupError(`${what} did not come within ${TIMEOUT_MS / 1000} seconds`);
  await pollUntil(holds, { everyMs: 100, timeoutMs: TIMEOUT_MS, timeoutError });
}
