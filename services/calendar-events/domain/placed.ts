import type { Color, EventTexts, EventView } from "../../contracts/calendar-events.contract.ts";
import type { Occurrence } from "../../contracts/occurrences.contract.ts";
import type { EpochMs, OccurrenceId } from "../../contracts/ids.ts";
import { anchorOf, type Calendar, clockFor } from "./calendar.ts";
import { type ShownEvent, type StoredEvent, textsOf } from "./event.ts";
import { recurrenceView } from "./given-recurrence.ts";
import { occurrenceId } from "./occurrence-id.ts";
import { movedInstant, type Slot } from "./occurrences.ts";
import type { Override } from "./override.ts";
import type { Times } from "./window.ts";

/** A single event or one occurrence, as and where it is now: with what was changed of the occurrence alone (D19). */
export interface Placed<Event extends ShownEvent = StoredEvent> extends Times {
  readonly event: Event;
  /** Undefined for a single event. */
  readonly slot?: Slot;
  readonly override?: Override;
  readonly texts: EventTexts;
  readonly color: Color;
  /** Since when a change of the zone has it where it is, if one does. */
  readonly movedAt?: EpochMs;
}

export function placedSingle<Event extends ShownEvent>(event: Event): Placed<Event> {
  const { startsAt, endsAt, color } = event;
  return { event, startsAt, endsAt, texts: textsOf(event), color };
}

/** One occurrence of a series; undefined when it is cancelled. */
export function placedOccurrence<Event extends ShownEvent>(
  event: Event,
  slot: Slot,
  override: Override | undefined,
  calendar: Calendar,
): Placed<Event> | undefined {
  if (override?.cancelled === true) return undefined;
  const { startsAt, endsAt, movedAt = 0 } = slot;
  const byRule = { event, slot, startsAt, endsAt, texts: textsOf(event), color: event.color, movedAt };
  return override === undefined ? byRule : changedBy(override, byRule, calendar);
}

function changedBy<Event extends ShownEvent>(
  override: Override,
  byRule: Placed<Event>,
  calendar: Calendar,
): Placed<Event> {
  const { moved } = override;
  const own = {
    override,
    texts: textsOf({ ...byRule.texts, ...override.texts }),
    color: override.color ?? byRule.color,
  };
  if (moved === undefined) return { ...byRule, ...own };
  // What was moved by hand follows a change of the zone as the series does (D22).
  const { at, since } = movedInstant(moved.startsAt, clockFor(moved.anchor, calendar));
  const endsAt = at + moved.endsAt - moved.startsAt;
  return { ...byRule, ...own, startsAt: at, endsAt, movedAt: since };
}

function idOf({ event, slot }: Placed<ShownEvent>): OccurrenceId {
  return slot === undefined ? (event.id as string as OccurrenceId) : occurrenceId(event.id, slot.original);
}

/** As the API shows it (D18). */
export function placedView(placed: Placed<ShownEvent>): EventView {
  const { event, slot, startsAt, endsAt, texts, color } = placed;
  const shown = {
    eventId: idOf(placed),
    startsAt,
    endsAt,
    ...texts,
    isParent: false,
    color,
    recurs: slot !== undefined,
  };
  return event.recurring === undefined ? shown : { ...shown, recurrence: recurrenceView(event.recurring.recurrence) };
}

/** With what dispatch needs to plan and to render. */
export function announcedOccurrence(placed: Placed, calendar: Calendar): Occurrence {
  const { event, slot, override, startsAt, endsAt, texts, color } = placed;
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
    scheduledAt: scheduledAtOf(placed),
    coloredAt: override?.coloredAt ?? event.coloredAt,
    ...(event.changedBy === undefined ? {} : { changedBy: event.changedBy }),
  };
}

/** Since when it is scheduled for when it now is: by its series, by its own times, or by a change of the zone (D31). */
function scheduledAtOf({ event, slot, override, movedAt = 0 }: Placed): EpochMs {
  const byRule = Math.max(event.scheduledAt, slot?.movedAt ?? 0);
  return Math.max(override?.moved === undefined ? byRule : (override.scheduledAt ?? byRule), movedAt);
}
