import { randomBytes } from "node:crypto";
import type { BaselineEvent } from "./baseline-data.ts";

const STEP_MS = { DAILY: 86_400_000, WEEKLY: 7 * 86_400_000 } as const;

/** An event as the API returns it. */
export function view(event: BaselineEvent, isParent = event.recurrence !== undefined): Record<string, unknown> {
  const { _id, guild_id: _guild, calendar_number: _number, last: _last, ...shown } = event;
  return { ...shown, event_id: _id, is_parent: isParent, recur: event.recurrence !== undefined };
}

/** The single events that overlap [from, until), and the occurrences of daily and weekly series in UTC. */
export function listed(events: readonly BaselineEvent[], from: number, until: number): Record<string, unknown>[] {
  const entries = events.flatMap((event) =>
    event.recurrence === undefined ? [view(event)] : occurrences(event, event.recurrence, from, until),
  );
  return entries.sort(
    (a, b) => (a["epoch_start"] as number) - (b["epoch_start"] as number) || (a["event_id"]! < b["event_id"]! ? -1 : 1),
  );
}

function occurrences(
  event: BaselineEvent,
  { frequency, interval, count }: NonNullable<BaselineEvent["recurrence"]>,
  from: number,
  until: number,
): Record<string, unknown>[] {
  const step = STEP_MS[frequency] * interval;
  const length = event.epoch_end - event.epoch_start;
  const first = Math.max(0, Math.floor((from - length - event.epoch_start) / step));
  const found: Record<string, unknown>[] = [];
  const last = count === -1 ? Infinity : count - 1;
  for (let at = first; at <= last; at += 1) {
    const start = event.epoch_start + at * step;
    if (start >= until) break;
    if (start + length <= from && start !== from) continue;
    const name = new Date(start).toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
    found.push(view({ ...event, _id: `${event._id}_${name}Z`, epoch_start: start, epoch_end: start + length }, false));
  }
  return found;
}

export function newId(): string {
  return `e${BigInt(`0x${randomBytes(16).toString("hex")}`)
    .toString(32)
    .slice(0, 25)
    .padStart(25, "0")}`;
}
