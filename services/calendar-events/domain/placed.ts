import type { Color, EventTexts, EventView, Occurrence } from "../../contracts/calendar-events.contract.ts";
import type { EpochMs, OccurrenceId } from "../../contracts/ids.ts";
import { anchorOf, type Calendar, clockFor } from "./calendar.ts";
import { eventView, type StoredEvent, textsOf } from "./event.ts";
import { occurrenceId } from "./occurrence-id.ts";
import { movedInstant, type Slot } from "./occurrences.ts";
import type { Override } from "./override.ts";
import type { Times } from "./window.ts";

/** A single event or one occurrence, as and where it is now: with what was changed of the occurrence alone (D19). */
export interface Placed extends Times {
  readonly event: StoredEvent;
  /** Undefined for a single event. */
  readonly slot?: Slot;
  readonly override?: Override;
  readonly texts: EventTexts;
  readonly color: Color;
  readonly scheduledAt: EpochMs;
  readonly coloredAt: EpochMs;
}

export function placedSingle(event: StoredEvent): Placed {
  const { startsAt, endsAt, color, scheduledAt, coloredAt } = event;
  return { event, startsAt, endsAt, texts: textsOf(event), color, scheduledAt, coloredAt };
}

/** One occurrence of a series; undefined when it is cancelled. */
export function placedOccurrence(
  event: StoredEvent,
  slot: Slot,
  override: Override | undefined,
  calendar: Calendar,
): Placed | undefined {
  if (override?.cancelled === true) return undefined;
  const { startsAt, endsAt, movedAt = 0 } = slot;
  const scheduledAt = Math.max(event.scheduledAt, movedAt);
  const { color, coloredAt } = event;
  const byRule = { event, slot, startsAt, endsAt, texts: textsOf(event), color, scheduledAt, coloredAt };
  return override === undefined ? byRule : changedBy(override, byRule, calendar);
}

function changedBy(override: Override, byRule: Placed, calendar: Calendar): Placed {
  const { moved, scheduledAt = byRule.scheduledAt } = override;
  const own = {
    override,
    texts: textsOf({ ...byRule.texts, ...override.texts }),
    color: override.color ?? byRule.color,
    coloredAt: override.coloredAt ?? byRule.coloredAt,
  };
  if (moved === undefined) return { ...byRule, ...own };
  // What was moved by hand follows a change of the zone as the series does (D22).
  const { at, since } = movedInstant(moved.startsAt, clockFor(moved.anchor, calendar));
  const endsAt = at + moved.endsAt - moved.startsAt;
  return { ...byRule, ...own, startsAt: at, endsAt, scheduledAt: Math.max(scheduledAt, since) };
}

function idOf({ event, slot }: Placed): OccurrenceId {
  return slot === undefined ? (event.id as string as OccurrenceId) : occurrenceId(event.id, slot.original);
}

/** As the API shows it (D18). */
export function placedView(placed: Placed, calendar: Calendar): EventView {
  const { event, slot, startsAt, endsAt, texts, color } = placed;
  if (slot === undefined) return eventView(event, calendar);
  const { recurring } = event;
  const shown = { eventId: idOf(placed), startsAt, endsAt, ...texts, isParent: false, color, recurs: true };
  return recurring === undefined ? shown : { ...shown, recurrence: recurring.recurrence };
}

/** With what dispatch needs to plan and to render. */
export function announcedOccurrence(placed: Placed, calendar: Calendar): Occurrence {
  const { event, slot, startsAt, endsAt, texts, color, scheduledAt, coloredAt } = placed;
  return {
    ...texts,
    occurrenceId: idOf(placed),
    eventId: event.id,
    calendarNumber: event.calendarNumber,
    timezone: anchorOf(calendar).timezone,
    startsAt,
    endsAt,
    color,
    recurs: slot !== undefined,
    isFirst: slot?.isFirst ?? true,
    scheduledAt,
    coloredAt,
  };
}
