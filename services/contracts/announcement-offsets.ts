import type { FieldProblem } from "./field-problem.ts";
import { integer, oneOf } from "./field-rules.ts";
import type { EpochMs } from "./ids.ts";

/** The instants of an event from which the due instant of a post is counted (D54, D69). */
export const OFFSET_ANCHORS = ["START", "END", "CREATED", "CHANGED"] as const;
export type OffsetAnchor = (typeof OFFSET_ANCHORS)[number];

/** When an announcement is posted, relative to an instant of the event (D54). */
export interface PostOffset {
  readonly anchor: OffsetAnchor;
  /** Negative before the anchor, positive after it. */
  readonly minutes: number;
}

/** The times of an occurrence that may be anchors. */
export interface AnchorTimes {
  readonly startsAt: EpochMs;
  readonly endsAt: EpochMs;
  readonly createdAt?: EpochMs;
  readonly rescheduledAt?: EpochMs;
}

const INSTANTS: Readonly<Record<OffsetAnchor, (times: AnchorTimes) => EpochMs | undefined>> = {
  START: ({ startsAt }) => startsAt,
  END: ({ endsAt }) => endsAt,
  CREATED: ({ createdAt }) => createdAt,
  CHANGED: ({ rescheduledAt }) => rescheduledAt,
};

/** Whether the instants of an anchor are those of writes, which never lie ahead. */
export function isOfWrites(anchor: OffsetAnchor): anchor is "CREATED" | "CHANGED" {
  return anchor === "CREATED" || anchor === "CHANGED";
}

/** The instant of an anchor; undefined if the occurrence does not stand for the creation, or for a change, of its event. */
export function anchorInstant(times: AnchorTimes, anchor: OffsetAnchor): EpochMs | undefined {
  return INSTANTS[anchor](times);
}

/** The longest time before or after an anchor, 366 days (D25, D54). */
export const MAX_OFFSET_MINUTES = 527_040;
/** Offsets of one announcement (D54). */
const MAX_OFFSETS = 8;

/** The rule of the field `offsets`. */
export const offsetsRule = {
  type: "array",
  min: 1,
  max: MAX_OFFSETS,
  items: {
    type: "object",
    /** Name of the schema in the API document. */
    title: "OffsetInput",
    strict: true,
    props: {
      anchor: oneOf(OFFSET_ANCHORS),
      minutes: integer(-MAX_OFFSET_MINUTES, MAX_OFFSET_MINUTES),
    } satisfies Record<keyof PostOffset, unknown>,
  },
};

interface OffsetFields {
  readonly type?: unknown;
  readonly offsets?: unknown;
  readonly hours?: unknown;
  readonly minutes?: unknown;
}

/** The problems of offsets whose members are valid, and of a lead time beside them (D54). */
export function offsetProblems({ type: _, offsets, ...leadTime }: OffsetFields): FieldProblem[] {
  if (!isOffsets(offsets)) return [];
  return [...duplicates(offsets), ...tooEarly(offsets), ...otherLeadTime(offsets, leadTime)];
}

/** The problems of a new announcement without a lead time and without offsets. A digest has neither (D65). */
export function missingLeadTime({ type, offsets, ...leadTime }: OffsetFields): FieldProblem[] {
  if (offsets !== undefined || type === "DIGEST") return [];
  const missing = LEAD_TIME.filter((field) => leadTime[field] === undefined);
  return missing.map((field) => ({ field, code: "REQUIRED", message: "is required without offsets" }));
}

const LEAD_TIME = ["hours", "minutes"] as const;

/**
 * The hours and minutes of an announcement with offsets, for clients that do not know offsets: the first offset of the list
 * that is at or before the start; 0 if there is none (D54).
 */
export function leadTimeOf(offsets: readonly PostOffset[]): Record<(typeof LEAD_TIME)[number], number> {
  const before = offsets.find(({ anchor, minutes }) => anchor === "START" && minutes <= 0);
  const total = Math.abs(before?.minutes ?? 0);
  return { hours: Math.floor(total / 60), minutes: total % 60 };
}

export function isSameOffset(one: PostOffset, other: PostOffset): boolean {
  return one.anchor === other.anchor && one.minutes === other.minutes;
}

function isOffsets(value: unknown): value is readonly PostOffset[] {
  if (!Array.isArray(value) || value.length > MAX_OFFSETS) return false;
  return value.every((entry) => {
    const { anchor, minutes } = Object(entry) as Partial<Record<keyof PostOffset, unknown>>;
    return OFFSET_ANCHORS.some((known) => known === anchor) && Number.isInteger(minutes);
  });
}

function duplicates(offsets: readonly PostOffset[]): FieldProblem[] {
  return offsets.flatMap((offset, at) => {
    const first = offsets.findIndex((other) => isSameOffset(other, offset));
    return first === at
      ? []
      : [
          {
            field: `offsets[${at}]`,
            code: "CONFLICTING" as const,
            message: `must not be the same as offsets[${first}]`,
          },
        ];
  });
}

/** Nothing can be posted before its event is created or changed. */
function tooEarly(offsets: readonly PostOffset[]): FieldProblem[] {
  return offsets.flatMap(({ anchor, minutes }, at) =>
    !isOfWrites(anchor) || minutes >= 0
      ? []
      : [
          {
            field: `offsets[${at}].minutes`,
            code: "OUT_OF_RANGE" as const,
            message: `must be at least 0 with the anchor ${anchor}`,
          },
        ],
  );
}

/** A lead time beside offsets must be the one of a response (`leadTimeOf`), so that a client can send a response back. */
function otherLeadTime(offsets: readonly PostOffset[], given: Pick<OffsetFields, "hours" | "minutes">): FieldProblem[] {
  const shown = leadTimeOf(offsets);
  return LEAD_TIME.filter((field) => given[field] !== undefined && given[field] !== shown[field]).map((field) => ({
    field,
    code: "CONFLICTING",
    message: `must not be given together with offsets, unless it is ${shown[field]} as in a response with them`,
  }));
}
