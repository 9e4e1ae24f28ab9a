import { digestRule } from "./announcement-digests.ts";
import { MAX_OFFSET_MINUTES, offsetsRule } from "./announcement-offsets.ts";
import { calendarNumber, COLORS, type Color } from "./calendar-events.contract.ts";
import type { FieldProblem } from "./field-problem.ts";
import { integer, listOf, oneOf, snowflake, snowflakeOr, text } from "./field-rules.ts";

/** Types of announcements by the events that they cover (D23). */
export const ANNOUNCEMENT_TYPES = ["UNIVERSAL", "SPECIFIC", "COLOR", "RECUR", "DIGEST"] as const;
export type AnnouncementType = (typeof ANNOUNCEMENT_TYPES)[number];

/** The longest lead time, 366 days (D25). */
const MAX_LEAD_MINUTES = MAX_OFFSET_MINUTES;
/** Entries in each list of subscribers (D26). */
export const MAX_SUBSCRIBERS = 1000;
/** The same limit as for an event's description (D21). */
const MAX_INFO_CHARACTERS = 4000;

/** The rules of the fields that create and update share. */
export const announcementRules = {
  channel: snowflake,
  type: oneOf(ANNOUNCEMENT_TYPES),
  hours: integer(0, MAX_LEAD_MINUTES / 60),
  minutes: integer(0, MAX_LEAD_MINUTES),
  offsets: offsetsRule,
  digest: digestRule,
  info: text(MAX_INFO_CHARACTERS),
  skipOn: calendarNumber,
  // `colorProblems` checks the value: a color is ignored, whatever its value, if the type does not use it (D27).
  eventColor: { type: "string", optional: true, documented: COLORS },
  subscribersRole: listOf(snowflakeOr("everyone", "here"), MAX_SUBSCRIBERS),
  subscribersUser: listOf(snowflake, MAX_SUBSCRIBERS),
};

interface ReferenceFields {
  readonly type?: unknown;
  readonly eventId?: unknown;
  readonly eventColor?: unknown;
}

/** The problem of a missing reference that the type requires (api.md 4.1). */
export function referenceProblems({ type, eventId, eventColor }: ReferenceFields): FieldProblem[] {
  if ((type === "SPECIFIC" || type === "RECUR") && (eventId === undefined || eventId === "")) {
    return [{ field: "eventId", code: "REQUIRED", message: `is required when the type is ${type}` }];
  }
  if (type === "COLOR" && eventColor === undefined) {
    const message = "is required when the type is COLOR";
    return [{ field: "eventColor", code: "REQUIRED", message, allowed: COLORS }];
  }
  return [];
}

/** The problem of an unknown color (D14). A known type other than COLOR ignores the color (D27); an absent type does not. */
export function colorProblems({ type, eventColor }: ReferenceFields): FieldProblem[] {
  const isUsed = type === "COLOR" || !ANNOUNCEMENT_TYPES.includes(type as AnnouncementType);
  if (!isUsed || typeof eventColor !== "string" || COLORS.includes(eventColor as Color)) return [];
  return [
    { field: "eventColor", code: "NOT_ALLOWED", message: `must be one of ${COLORS.join(", ")}`, allowed: COLORS },
  ];
}

/** The problems of a lead time whose parts are valid and whose sum is too long (D25). */
export function leadTimeProblems(hours: unknown, minutes: unknown): FieldProblem[] {
  if (typeof hours !== "number" || typeof minutes !== "number") return [];
  if (hours > MAX_LEAD_MINUTES / 60 || minutes > MAX_LEAD_MINUTES) return [];
  if (hours * 60 + minutes <= MAX_LEAD_MINUTES) return [];
  const tooLongWith = (other: string) => `must not be more than ${MAX_LEAD_MINUTES} minutes together with ${other}`;
  return [
    { field: "hours", code: "OUT_OF_RANGE", message: tooLongWith("minutes") },
    { field: "minutes", code: "OUT_OF_RANGE", message: tooLongWith("hours") },
  ];
}

/** The params of the two lists of subscribers, with their wire names. */
const SUBSCRIBER_LISTS = [
  { list: "subscribersRole", wireName: "subscribers_role" },
  { list: "subscribersUser", wireName: "subscribers_user" },
] as const;

/** The problems of a whole list together with added or removed entries, and of an entry that is added and removed (D36). */
export function subscriberProblems(fields: Partial<Record<string, unknown>>): FieldProblem[] {
  return SUBSCRIBER_LISTS.flatMap(({ list, wireName }): FieldProblem[] => {
    const [add, remove] = [`${list}Add`, `${list}Remove`];
    const given = [add, remove].filter((field) => fields[field] !== undefined);
    if (fields[list] !== undefined) {
      const message = `must not be given together with the whole list ${wireName}`;
      return given.map((field) => ({ field, code: "CONFLICTING", message }));
    }
    const [added, removed] = [fields[add], fields[remove]];
    if (!Array.isArray(added) || !Array.isArray(removed) || Math.max(added.length, removed.length) > MAX_SUBSCRIBERS) {
      return [];
    }
    const isRemoved = new Set<unknown>(removed);
    const message = `must not be in ${wireName}_remove as well`;
    return added.flatMap((entry, at) =>
      isRemoved.has(entry) ? [{ field: `${add}[${at}]`, code: "CONFLICTING" as const, message }] : [],
    );
  });
}
