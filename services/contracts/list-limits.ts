import { MAX_ENTRIES } from "./calendar-events.contract.ts";
import type { ActionContract } from "./contract.ts";
import { refuse, type Refusal } from "./errors.ts";

/** At most this many bytes in the body of one answer, as it is sent (D38): 4 MiB. */
export const MAX_ANSWER_BYTES = 4_194_304;

const TEXT = {
  entries: `hold more than ${MAX_ENTRIES} entries`,
  bytes: `be larger than ${MAX_ANSWER_BYTES} bytes`,
} as const;

/** Instead of a list that would be cut off: names the field by which its caller asks for less (D17, D38). */
export function listTooLarge<Params>(
  { narrowing }: Pick<ActionContract<Params, unknown>, "narrowing">,
  exceeded: keyof typeof TEXT,
): Refusal {
  const would = `The answer would ${TEXT[exceeded]}`;
  if (narrowing === undefined) return refuse("TOO_MANY_ENTRIES", undefined, would);
  const { field, advice } = narrowing;
  const message = `${advice}: the answer would ${TEXT[exceeded]}`;
  return refuse("TOO_MANY_ENTRIES", [{ field, code: "TOO_MANY", message }], would);
}
