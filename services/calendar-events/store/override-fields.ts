import { complete } from "../../../mixins/objects/complete.ts";
import { definedFields } from "../../../mixins/objects/defined-fields.ts";
import type { Color, EventTexts } from "../../contracts/calendar-events.contract.ts";
import type { EpochMs, EventId } from "../../contracts/ids.ts";
import type { Anchor } from "../domain/calendar/calendar.ts";
import type { Days } from "../domain/calendar/days.ts";
import type { Override } from "../domain/event/override.ts";

/** The stored fields of an override that decide when its occurrence is announced, and in which color. */
export interface OverrideChanges {
  readonly original: EpochMs;
  readonly cancelled: boolean;
  readonly color?: Color;
  readonly startsAt?: EpochMs;
  readonly endsAt?: EpochMs;
  readonly anchor?: Anchor;
  readonly days?: Days;
  readonly scheduledAt?: Date;
  readonly endSetAt?: Date;
  readonly coloredAt?: Date;
}

/** Selects exactly these fields. */
export const OVERRIDE_CHANGES = complete<Record<keyof OverrideChanges, 1>>()({
  original: 1,
  cancelled: 1,
  color: 1,
  startsAt: 1,
  endsAt: 1,
  anchor: 1,
  days: 1,
  scheduledAt: 1,
  endSetAt: 1,
  coloredAt: 1,
});

export function overrideWith(
  eventId: EventId,
  { original, cancelled, color, startsAt, endsAt, anchor, days, scheduledAt, endSetAt, coloredAt }: OverrideChanges,
  texts: EventTexts = {},
): Override {
  const isMoved = startsAt !== undefined && endsAt !== undefined && anchor !== undefined;
  return complete<Override>()({
    eventId,
    original,
    cancelled,
    texts,
    ...definedFields({
      color,
      moved: isMoved ? { startsAt, endsAt, anchor, ...definedFields({ days }) } : undefined,
      scheduledAt: scheduledAt?.getTime(),
      endSetAt: endSetAt?.getTime(),
      coloredAt: coloredAt?.getTime(),
    }),
  });
}
