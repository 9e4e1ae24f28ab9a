import { MAX_ENTRIES } from "./calendar-events.contract.ts";
import type { ActionContract } from "./contract.ts";
import { refuse, type Refusal } from "./errors.ts";

/** Largest response body (D38): 4 MiB. */
export const MAX_RESPONSE_BYTES = 4_194_304;

const EXCESS = {
  entries: `have more than ${MAX_ENTRIES} entries`,
  bytes: `be larger than ${MAX_RESPONSE_BYTES} bytes`,
} as const;

/** The refusal of a list that exceeds a limit. It names the field with which the caller requests less (D17, D38). */
export function listTooLarge<Params>(
  { narrowing }: Pick<ActionContract<Params, unknown>, "narrowing">,
  exceeded: keyof typeof EXCESS,
): Refusal {
  const message = `The response would ${EXCESS[exceeded]}`;
  if (narrowing === undefined) return refuse("TOO_MANY_ENTRIES", undefined, message);
  const { field, advice } = narrowing;
  const problem = { field, code: "TOO_MANY", message: `${advice}: the response would ${EXCESS[exceeded]}` } as const;
  return refuse("TOO_MANY_ENTRIES", [problem], message);
}
