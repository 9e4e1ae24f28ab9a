import type { EpochMs, EventId } from "../../../contracts/ids.ts";

/** How many random bytes an id takes. */
export const ID_RANDOM_BYTES = 15;

const DIGITS = "0123456789abcdefghijklmnopqrstuv";
const TIME_DIGITS = 10;

/** A new event's id (D12): `e`, the time in ten digits to the base 32, which puts ids in order, and fifteen random ones. */
export function newEventId(now: EpochMs, random: Uint8Array): EventId {
  let time = "";
  for (let rest = now; time.length < TIME_DIGITS; rest = Math.floor(rest / 32)) time = digit(rest % 32) + time;
  let unique = "";
  for (const byte of random) unique += digit(byte % 32);
  return `e${time}${unique}` as EventId;
}

function digit(value: number): string {
  return DIGITS.charAt(value);
}
