import { stampedNewRecord, stampedReplacement, unchangedFields } from "../../../mixins/mongo/change-feed.ts";
import { reachedInstant } from "../../../mixins/mongo/reached-instant.ts";
import type { ChangedEvent } from "../domain/event/change-event.ts";
import type { StoredEvent } from "../domain/event/event.ts";
import type { EventDocument } from "./calendar-event.document.ts";

/** The first revision of a series that was split from another one. Fields without a change keep the times of that one (D31). */
export function newPart(row: EventDocument, { rescheduled, recolored, endChanged }: ChangedEvent, stored: StoredEvent) {
  const kept = {
    ...(rescheduled ? {} : { scheduledAt: new Date(stored.scheduledAt) }),
    ...(recolored ? {} : { coloredAt: new Date(stored.coloredAt) }),
    ...(endChanged === true || stored.endSetAt === undefined ? {} : { endSetAt: new Date(stored.endSetAt) }),
  };
  const [timeFields] = timestampsOf({ rescheduled, recolored, endChanged });
  return stampedNewRecord({ ...row, ...kept }, [...timeFields, "createdAt"], endedPause(stored));
}

/** How far the pauses of the series have reached from which a new one was split (D62). */
function endedPause({ pausedUntil, pauseEndedAt = 0 }: StoredEvent): Record<string, object> {
  if (pausedUntil === undefined) return {};
  return { pauseEndedAt: { $max: [pauseEndedAt, { $min: [pausedUntil, { $toLong: "$$NOW" }] }] } };
}

type ChangedFields = {
  readonly [Field in "rescheduled" | "recolored" | "endChanged" | "isShortened"]?: boolean | undefined;
};

/**
 * The update to the next revision of an event.
 *
 * @param former - The expression for the former state, if start, end, rule or color change, or later occurrences are removed.
 */
export function replacementOf(
  row: EventDocument,
  changed: ChangedFields,
  former: object = unchangedFields("former"),
): ReturnType<typeof stampedReplacement> {
  const [timeFields, unchanged] = timestampsOf(changed);
  return stampedReplacement(row, timeFields, {
    ...unchanged,
    ...former,
    ...reachedInstant("pauseEndedAt", "pausedUntil"),
  });
}

/** The timestamps that the update sets, and those that it leaves unchanged. */
export function timestampsOf(changed: ChangedFields): [set: string[], unchanged: Record<string, string>] {
  const { rescheduled = false, recolored = false, endChanged = false } = changed;
  const stamps = [
    ["scheduledAt", rescheduled],
    ["coloredAt", recolored],
    ["endSetAt", endChanged],
    ["createdAt", false],
  ] as const;
  const fieldsThat = (change: boolean) => stamps.filter(([, changes]) => changes === change).map(([field]) => field);
  return [fieldsThat(true), unchangedFields(...fieldsThat(false))];
}

/** An override is not in the change feed: its series is. */
export function untrackedReplacement(replacement: ReturnType<typeof stampedReplacement>): object[] {
  return [...replacement, { $unset: "changedAt" }];
}
