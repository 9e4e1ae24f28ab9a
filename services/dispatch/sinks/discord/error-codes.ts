/** The meaning of Discord's JSON error codes for a post. Other codes are judged by the HTTP status (response-outcome.ts). */
type Meaning = "halted" | "channel" | "payload" | "retry" | "delivered";

const CODES: Readonly<Record<Meaning, readonly number[]>> = {
  // Unauthorized; invalid token; refused user agent.
  halted: [40001, 50014, 40333],
  // Unknown channel or guild; no access or permission; not a text channel or not for this; blocked; archived; locked.
  channel: [10003, 10004, 50001, 50013, 50008, 50024, 40058, 50083, 160005],
  // Invalid form; empty message; too large; blocked by a moderation rule; harmful link.
  payload: [50035, 50006, 40005, 200000, 240000],
  // Slow mode; write limits of channel and guild; many edits of an old message; overloaded.
  retry: [20016, 20028, 20029, 30046, 130000],
  // Unknown message, in response to a known nonce: it was delivered and then deleted.
  delivered: [10008],
};

const MEANINGS: ReadonlyMap<number, Meaning> = new Map(
  Object.entries(CODES).flatMap(([meaning, codes]) => codes.map((code) => [code, meaning as Meaning] as const)),
);

export function meaningOf(code: number | undefined): Meaning | undefined {
  return code === undefined ? undefined : MEANINGS.get(code);
}

/** Whether the code says that the message of an edit or a deletion was deleted before, or its channel. */
export function isGone(code: number | undefined): boolean {
  return code === 10008 || code === 10003;
}
