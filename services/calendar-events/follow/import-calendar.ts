import { randomUUID } from "node:crypto";
import type { ScannedCalendar } from "../../../mixins/icalendar/calendar-scanner.ts";
import { batchFrom, orderEvents } from "../../../mixins/icalendar/import-batches.ts";
import { runInWriteContext, WRITE_DEADLINE_MS } from "../../../mixins/mongo/write-context.ts";
import { newWriteId } from "../../../mixins/mongo/write-id.ts";
import type { FollowCounts } from "../../contracts/calendar-follows.contract.ts";
import type { CalendarReference } from "../../contracts/calendars.contract.ts";
import { isRefusal, type Refusal } from "../../contracts/errors.ts";
import type { ImportedOutcome, SkipReason } from "../../contracts/event-import.contract.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import type { EventImport, OnWritten } from "../import/event-import.ts";
import type { CalendarEventsStore } from "../store/calendar-events.store.ts";
import type { CalendarsStore } from "../store/calendars.store.ts";
import type { ReadEventKeys } from "../store/event-keys.store.ts";
import type { ImportsStore } from "../store/imports.store.ts";
import { removeOthers } from "./remove-others.ts";

/** The parts that an import of a followed calendar uses. */
export interface CalendarImportParts {
  readonly store: CalendarEventsStore;
  readonly calendars: Pick<CalendarsStore, "find">;
  readonly imports: ImportsStore;
  readonly runImport: EventImport;
  readonly readKeys: ReadEventKeys;
  /** The database's clock. */
  readonly now: () => EpochMs;
  readonly onWritten: (of: CalendarReference) => OnWritten;
}

/** Whether the reader may go on: its claim is not over, and neither is its time. */
export type MayContinue = () => Promise<boolean>;

export interface CalendarImported {
  readonly counts: FollowCounts;
  /** Whether the same body would change nothing more: no VEVENT was skipped for a reason that may pass. */
  readonly isSettled: boolean;
}

/** Number of consecutive calls without an outcome after which an import ends. */
const MAX_CALLS_IN_VAIN = 3;
/** Reasons that may be over at the next read. */
const PASSING: ReadonlySet<SkipReason | undefined> = new Set(["TOO_MANY_EVENTS", "WRITE_CONFLICT"]);

/**
 * Imports a calendar, and deletes what it does not have (D55). Undefined if it was not completed: what was written stays, and
 * nothing is deleted. Refuses while another import has the calendar.
 */
export async function importCalendar(
  parts: CalendarImportParts,
  of: CalendarReference & { readonly followedAt: EpochMs },
  scanned: ScannedCalendar,
  mayContinue: MayContinue,
): Promise<CalendarImported | Refusal | undefined> {
  const { guildId, calendarNumber } = of;
  const lease = { guildId, calendarNumber, importId: randomUUID() };
  const onWritten = parts.onWritten(of);
  const write = <Result>(work: () => Promise<Result>) =>
    runInWriteContext({ deadline: parts.now() + WRITE_DEADLINE_MS, id: newWriteId() }, work);
  try {
    const outcomes = await importEvents(parts, { ...lease, write, onWritten }, scanned, mayContinue);
    if (outcomes === undefined || isRefusal(outcomes)) return outcomes;
    const calendar = await parts.calendars.find(guildId, calendarNumber);
    const leased = async () => (await mayContinue()) && (await parts.imports.lease(lease));
    const { store, readKeys } = parts;
    const target = { store, readKeys, calendar, followedAt: of.followedAt, write, onWritten: onWritten.event };
    const removed = await removeOthers(target, scanned, leased);
    if (removed === undefined) return undefined;
    return {
      counts: countsOf(outcomes, scanned, removed),
      isSettled: !outcomes.some(({ skipped }) => PASSING.has(skipped)),
    };
  } finally {
    await parts.imports.release(lease);
  }
}

interface ImportOf {
  readonly guildId: CalendarReference["guildId"];
  readonly calendarNumber: number;
  readonly importId: string;
  readonly write: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly onWritten: OnWritten;
}

/** Imports the VEVENTs in calls of a bounded size; undefined if they were not completed. */
async function importEvents(
  { runImport }: Pick<CalendarImportParts, "runImport">,
  { write, onWritten, ...of }: ImportOf,
  { events, zones }: ScannedCalendar,
  mayContinue: MayContinue,
): Promise<ImportedOutcome[] | Refusal | undefined> {
  const outcomes: ImportedOutcome[] = [];
  let left = orderEvents(events).events;
  let inVain = 0;
  while (left.length > 0) {
    if (inVain >= MAX_CALLS_IN_VAIN || !(await mayContinue())) return undefined;
    const { events: batch, ...more } = batchFrom(left, zones, 0);
    const params = { ...of, ...more, events: batch.map(({ text }) => text), isLast: false, dryRun: false };
    const result = await write(() => runImport(params, onWritten, true));
    if (isRefusal(result)) return result;
    const unfinished = left.slice(0, batch.length).filter((_, at) => (result.outcomes[at] ?? null) === null);
    outcomes.push(...result.outcomes.filter((outcome) => outcome !== null));
    inVain = unfinished.length === batch.length ? inVain + 1 : 0;
    left = [...unfinished, ...left.slice(batch.length)];
  }
  return outcomes;
}

function countsOf(
  outcomes: readonly ImportedOutcome[],
  { unreadable }: ScannedCalendar,
  removed: number,
): FollowCounts {
  const count = (kind: ImportedOutcome["outcome"]) => outcomes.filter(({ outcome }) => outcome === kind).length;
  return {
    created: count("created"),
    updated: count("updated"),
    unchanged: count("unchanged"),
    deleted: count("deleted") + removed,
    skipped: count("skipped") + unreadable.length,
  };
}
