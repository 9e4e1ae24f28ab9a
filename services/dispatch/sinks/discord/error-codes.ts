/**
 * What Discord's JSON error codes mean for a post. What isn't listed is judged by its HTTP status
 * (response-outcome.ts).
 */
type Meaning = "halted" | "channel" | "payload" | "retry" | "delivered";

const CODES: Readonly<Record<Meaning, readonly number[]>> = {
  // Unauthorized; invalid token; refused for the user agent.
  halted: [40001, 50014, 40333],
  // Unknown channel or guild; no access or permission; not a text channel or not for this; blocked; archived; locked.
  channel: [10003, 10004, 50001, 50013, 50008, 50024, 40058, 50083, 160005],
  // Invalid form; empty message; too large; stopped by a moderation rule; a link that is held harmful.
  payload: [50035, 50006, 40005, 200000, 240000],
  // Slow mode; write limits of channel and guild; overloaded.
  retry: [20016, 20028, 20029, 130000],
  // Unknown message, in answer to a nonce that was seen before: it was delivered, and somebody deleted it since.
  delivered: [10008],
};

const MEANINGS: ReadonlyMap<number, Meaning> = new Map(
  Object.entries(CODES).flatMap(([meaning, codes]) => codes.map((code) => [code, meaning as Meaning] as const)),
);

export function meaningOf(code: number | undefined): Meaning | undefined {
  return code === undefined ? undefined : MEANINGS.get(code);
}
