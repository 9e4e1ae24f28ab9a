import type { DeliveriesStore, WebhookKey } from "../store/deliveries.store.ts";

/** Settled deliveries of a webhook that are stored. */
const MAX_HISTORY = 1_000;
/** The history is shortened when it has grown by so many. */
const TRIM_EVERY = 100;

/** Removes the oldest settled deliveries of a webhook after new ones were stored behind a position. */
export async function shortenHistory(
  deliveries: Pick<DeliveriesStore, "trim">,
  webhook: WebhookKey,
  before: number,
  after: number,
): Promise<void> {
  if (Math.floor(before / TRIM_EVERY) === Math.floor(after / TRIM_EVERY)) return;
  await deliveries.trim(webhook, after - MAX_HISTORY);
}
