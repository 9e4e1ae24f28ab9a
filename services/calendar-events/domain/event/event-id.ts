import type { EpochMs, EventId } from "../../../contracts/ids.ts";

/** Number of random bytes in an id. */
export const ID_RANDOM_BYTES = 15;

const DIGITS = "0123456789abcdefghijklmnopqrstuv";
const TIME_DIGITS = 10;

/** A new event id (D12): `e`, ten base-32 digits of the time, which order the ids, and fifteen random digits. */
export function newEventId(now: EpochMs, random: Uint8Array): EventId {
  let time = "";
  for (let rest = now; time.length < TIME_DIGITS; rest = Math.floor(rest / 32)) time = digit(rest % 32) + time;
  let unique = "";
  for (const byte of random) unique += digit(byte % 32);
  return `e${time}${unique}` as EventId;
}

/** The time in an event's id: that of the process that created the event. */
export function timeOfEventId(id: EventId): EpochMs {
  return Number.parseInt(id.slice(1, 1 + TIME_DIGITS), DIGITS.length);
}

/** The least event id with this time or a later one. */
export function firstEventIdAt(at: EpochMs): EventId {
  return newEventId(Math.max(0, at), new Uint8Array(ID_RANDOM_BYTES));
}

function digit(value: number): string {
  return DIGITS.charAt(value);
}
