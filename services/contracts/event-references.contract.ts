import type { EventView } from "./calendar-events.contract.ts";
import { action } from "./contract.ts";
import { flag, guildId, listOf, optional, reference, textOf } from "./field-rules.ts";
import type { GuildId } from "./ids.ts";

/** Finds the event or occurrence that an announcement refers to, in any calendar of the guild. */
export const findEvent = action<{ guildId: GuildId; eventId: string }, EventView | null>({
  name: "calendar-events.find",
  keys: "guild read",
  params: { guildId, eventId: reference },
  idempotent: true,
});

const storedReference = textOf("the id of an event or an occurrence", /^[0-9A-Za-z_]+$/, 64);
/** Largest number of ids in one call: a guild has at most 1000 announcements (D26). */
const MAX_REFERENCES = 1000;

export interface ListExistingEventsParams {
  readonly guildId: GuildId;
  readonly eventIds: readonly string[];
  /** If set, a series exists only until its first occurrence is cancelled (D24). */
  readonly firstOccurrence?: boolean;
}

/** Lists which of these events and occurrences exist in any calendar of the guild (D42). */
export const listExistingEvents = action<ListExistingEventsParams, string[]>({
  name: "calendar-events.listExisting",
  keys: "guild read",
  params: {
    guildId,
    eventIds: listOf(storedReference, MAX_REFERENCES),
    firstOccurrence: optional(flag),
  },
  idempotent: true,
});
