import type {
  ImportedOutcome,
  ImportEventsParams,
  ImportEventsResult,
  SkipReason,
} from "../../contracts/event-import.contract.ts";
import { isRefusal, refuse, type Refusal } from "../../contracts/errors.ts";
import type { CalendarEvent } from "../domain/event/event.ts";
import type { ImportedEvent } from "../domain/import/imported-event.ts";
import type { CalendarEventsStore } from "../store/calendar-events.store.ts";
import type { CalendarsStore } from "../store/calendars.store.ts";
import type { ImportsStore } from "../store/imports.store.ts";
import { CostlyDecisions } from "./costly-decisions.ts";
import { groupsOf } from "./import-groups.ts";
import { importGroup } from "./import-series.ts";
import { type ImportTarget, skipped } from "./import-target.ts";
import { addZones, isZoneOf } from "./import-zones.ts";
import { readImport } from "./read-import.ts";

/** Imports the VEVENTs of one call (D52). */
export type EventImport = (
  params: ImportEventsParams,
  onWritten: OnWritten,
  isMirror?: boolean,
) => Promise<ImportEventsResult | Refusal>;

export interface OnWritten {
  readonly event: (event: Pick<CalendarEvent, "id" | "guildId" | "revision">) => void;
  readonly calendar: (revision: number) => void;
}

interface EventImportParts {
  readonly store: CalendarEventsStore;
  readonly calendars: CalendarsStore;
  readonly imports: ImportsStore;
  /** Monotonic, in milliseconds. */
  readonly clock: () => number;
}

/** Time after which a call begins no further VEVENT: its caller waits for six seconds. */
const MAX_CALL_MS = 2_500;
/** UIDs that are written at the same time. Concurrent inserts are one command. */
const CONCURRENT_GROUPS = 50;

const BUSY = "Another import of this calendar is running; try again when Retry-After has passed";

export function eventImport({ store, calendars, imports, clock }: EventImportParts): EventImport {
  const decisions = new CostlyDecisions();
  return async (params, onWritten, isMirror = false) => {
    const { guildId, calendarNumber, dryRun: isDryRun } = params;
    const endsAt = clock() + MAX_CALL_MS;
    if (!isDryRun && !(await imports.lease(params))) return refuse("TOO_MANY_REQUESTS", undefined, BUSY);
    const before = await calendars.find(guildId, calendarNumber);
    const read = await readImport(params, before);
    const calendar = isDryRun ? before : await addZones(calendars, before, zonesOf(read), onWritten.calendar);
    if (isRefusal(calendar)) return calendar;
    const hasZone = (event: ImportedEvent) =>
      isDryRun || event.dates === undefined || isZoneOf(calendar, event.zone.name);
    const checked = read.map((event) =>
      typeof event === "string" || hasZone(event) ? event : ("TOO_MANY_TIME_ZONES" as const),
    );
    const outcomes: Outcomes = checked.map((event) => (typeof event === "string" ? skipped(event) : null));
    const isOver = () => clock() >= endsAt;
    const target = { store, calendar, isDryRun, isMirror, isOver, decisions, onWritten: onWritten.event };
    await importAll(target, params, checked, outcomes);
    if (params.isLast && !isDryRun && !outcomes.includes(null)) await imports.release(params);
    return isDryRun ? { outcomes, room: await store.room(guildId) } : { outcomes };
  };
}

type Outcomes = (ImportedOutcome | null)[];

/** Imports the groups of UIDs, some at the same time. */
async function importAll(
  target: ImportTarget,
  params: ImportEventsParams,
  read: readonly (ImportedEvent | SkipReason)[],
  outcomes: Outcomes,
): Promise<void> {
  const groups = await groupsOf(target, params, read);
  const settle = (at: number, outcome: ImportedOutcome) => {
    outcomes[at] = outcome;
  };
  const importNext = async () => {
    for (let group = groups.pop(); group !== undefined; group = groups.pop()) await importGroup(target, group, settle);
  };
  await Promise.all(Array.from({ length: CONCURRENT_GROUPS }, importNext));
}

/** The zones of the series. */
function zonesOf(read: readonly (ImportedEvent | SkipReason)[]): string[] {
  return read.flatMap((event) => (typeof event === "string" || event.dates === undefined ? [] : [event.zone.name]));
}
