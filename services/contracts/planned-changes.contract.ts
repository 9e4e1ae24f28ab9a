import { broadcastEvent } from "./contract.ts";
import { integer, oneOf, text } from "./field-rules.ts";
import type { EpochMs } from "./ids.ts";

/** A change of a record that a stored plan includes. */
export interface PlannedChange {
  /** The service whose change feed has the record. */
  readonly feed: (typeof PLANNED_FEEDS)[number];
  readonly id: string;
  readonly revision: number;
  /** The plan has the posts that were due from this instant on. */
  readonly since: EpochMs;
}
const PLANNED_FEEDS = ["announcements", "calendar-events", "guild-settings"] as const;

/** Maximum number of changes in one `dispatch.changes-planned`. */
export const MAX_PLANNED_CHANGES = 250;

/** Internal: one replica of dispatch tells the others that they need not plan these changes. May be lost, duplicated or late. */
export const changesPlanned = broadcastEvent<{ readonly changes: readonly PlannedChange[] }>({
  name: "dispatch.changes-planned",
  payload: {
    changes: {
      type: "array",
      min: 1,
      max: MAX_PLANNED_CHANGES,
      items: {
        type: "object",
        strict: true,
        props: {
          feed: oneOf(PLANNED_FEEDS),
          id: text(64),
          revision: integer(1, Number.MAX_SAFE_INTEGER),
          since: integer(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
        },
      },
    },
  },
});
