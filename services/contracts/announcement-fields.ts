import { COLORS, type Color } from "./calendar-events.contract.ts";
import type { FieldProblem } from "./contract.ts";
import { integer, listOf, oneOf, snowflake, snowflakeOr, text } from "./field-rules.ts";

/** Which events an announcement is for (D23). */
export const ANNOUNCEMENT_TYPES = ["UNIVERSAL", "SPECIFIC", "COLOR", "RECUR"] as const;
export type AnnouncementType = (typeof ANNOUNCEMENT_TYPES)[number];

/** 366 days, the longest lead time (D25). */
const MAX_LEAD_MINUTES = 527_040;
/** The most entries of each list of subscribers (D26). */
export const MAX_SUBSCRIBERS = 1000;
/** As long as an event's description (D21). */
const MAX_INFO_CHARACTERS = 4000;

/** The rules of the fields that create and update have in common. */
export const announcementRules = {
  channel: snowflake,
  type: oneOf(ANNOUNCEMENT_TYPES),
  hours: integer(0, MAX_LEAD_MINUTES / 60),
  minutes: integer(0, MAX_LEAD_MINUTES),
  info: text(MAX_INFO_CHARACTERS),
  // `colorProblems` checks the value: a colour that the type does not use is ignored, whatever it holds (D27).
  eventColor: { type: "string", optional: true, documented: COLORS },
  subscribersRole: listOf(snowflakeOr("everyone", "here"), MAX_SUBSCRIBERS),
  subscribersUser: listOf(snowflake, MAX_SUBSCRIBERS),
};

interface ReferenceFields {
  readonly type?: unknown;
  readonly eventId?: unknown;
  readonly eventColor?: unknown;
}

/** The reference that the type needs and that is not there (api.md 4.1). */
export function requiredReference({ type, eventId, eventColor }: ReferenceFields): FieldProblem[] {
  if ((type === "SPECIFIC" || type === "RECUR") && (eventId === undefined || eventId === "")) {
    return [{ field: "eventId", code: "REQUIRED", message: `is required when the type is ${type}` }];
  }
  if (type === "COLOR" && eventColor === undefined) {
    const message = "is required when the type is COLOR";
    return [{ field: "eventColor", code: "REQUIRED", message, allowed: COLORS }];
  }
  return [];
}

/** A colour that counts must be one (D14); where the type does not use it, it is ignored whatever it holds (D27). */
export function colorProblems({ type, eventColor }: ReferenceFields): FieldProblem[] {
  const counts = type === "COLOR" || !ANNOUNCEMENT_TYPES.includes(type as AnnouncementType);
  if (!counts || typeof eventColor !== "string" || COLORS.includes(eventColor as Color)) return [];
  return [
    { field: "eventColor", code: "NOT_ALLOWED", message: `must be one of ${COLORS.join(", ")}`, allowed: COLORS },
  ];
}

/** Both parts are legal alone and too much together (D25). */
export function leadTimeProblems(hours: unknown, minutes: unknown): FieldProblem[] {
  if (typeof hours !== "number" || typeof minutes !== "number") return [];
  if (hours > MAX_LEAD_MINUTES / 60 || minutes > MAX_LEAD_MINUTES) return [];
  if (hours * 60 + minutes <= MAX_LEAD_MINUTES) return [];
  const tooMuchWith = (other: string) => `must not be more than ${MAX_LEAD_MINUTES} minutes together with ${other}`;
  return [
    { field: "hours", code: "OUT_OF_RANGE", message: tooMuchWith("minutes") },
    { field: "minutes", code: "OUT_OF_RANGE", message: tooMuchWith("hours") },
  ];
}

/** The two lists of subscribers: the param of each, and how requests spell it. */
const SUBSCRIBER_LISTS = [
  { list: "subscribersRole", spelt: "subscribers_role" },
  { list: "subscribersUser", spelt: "subscribers_user" },
] as const;

/** A list is given whole or changed by entries, and an entry is added or removed (D36). */
export function subscriberProblems(fields: Partial<Record<string, unknown>>): FieldProblem[] {
  return SUBSCRIBER_LISTS.flatMap(({ list, spelt }): FieldProblem[] => {
    const [add, remove] = [`${list}Add`, `${list}Remove`];
    const given = [add, remove].filter((field) => fields[field] !== undefined);
    if (fields[list] !== undefined) {
      const message = `must not be given together with the whole list ${spelt}`;
      return given.map((field) => ({ field, code: "CONFLICTING", message }));
    }
    const [added, removed] = [fields[add], fields[remove]];
    if (!Array.isArray(added) || !Array.isArray(removed) || Math.max(added.length, removed.length) > MAX_SUBSCRIBERS) {
      return [];
    }
    const isRemoved = new Set<unknown>(removed);
    const message = `must not be in ${spelt}_remove as well`;
    return added.flatMap((entry, at) =>
      isRemoved.has(entry) ? [{ field: `${add}[${at}]`, code: "CONFLICTING" as const, message }] : [],
    );
  });
}
