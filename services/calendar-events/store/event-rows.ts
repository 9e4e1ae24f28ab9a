import { perText } from "../../contracts/calendar-events.contract.ts";
import type { ListedEvent, StoredEvent } from "../domain/event/event.ts";
import type { Override } from "../domain/event/override.ts";
import {
  type AnyRow,
  isOverrideRow,
  type OverrideRow,
  overrideOf,
  type Row,
  SEARCH_PROJECTION,
} from "./calendar-event.document.ts";

/** A row of the collection of events. */
export interface EventOrOverride {
  readonly id: string;
  readonly event?: ListedEvent;
  readonly override?: Override;
}

/** A page of a search: events, and overrides of moved occurrences. */
export interface EventPage<Event extends ListedEvent = StoredEvent> {
  readonly events: readonly Event[];
  readonly moved: readonly Override[];
}

/** A projection, and the function that converts a row to an event; undefined for a tombstone. */
export interface RowMapping<Event extends ListedEvent> {
  readonly projection: Readonly<Record<string, 0>>;
  readonly eventIn: (row: Exclude<Row, OverrideRow>) => Event | undefined;
}

/** Excludes the texts: up to 20 kB of each event, and a search may read ten thousand. */
export const WITHOUT_TEXTS = perText(() => 0 as const);

/** Includes the texts alone. */
export const ONLY_TEXTS = perText(() => 1 as const);

export function projectionOf(texts: boolean): RowMapping<StoredEvent>["projection"] {
  return texts ? SEARCH_PROJECTION : { ...SEARCH_PROJECTION, ...WITHOUT_TEXTS };
}

/** Whether none of the rows is an override, or a series with overrides. */
export function areWithoutOverrides(rows: readonly AnyRow[]): boolean {
  return rows.every(({ original, hasOverrides }) => original === undefined && hasOverrides !== true);
}

export function partitionRows<Event extends ListedEvent>(
  rows: readonly Row[],
  eventIn: RowMapping<Event>["eventIn"],
): EventPage<Event> {
  const events = rows.map((row) => (isOverrideRow(row) ? undefined : eventIn(row)));
  const moved = rows.filter(isOverrideRow).map(overrideOf);
  return { events: events.filter((event) => event !== undefined), moved };
}
