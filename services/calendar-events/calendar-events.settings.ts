import { integerSetting } from "../../mixins/settings/environment.ts";

/** So many events a guild may hold where nothing is said. */
export const DEFAULT_EVENTS_PER_GUILD = 100_000;

/** The settings of the calendar events service. */
export const calendarEventsSettings = {
  EVENTS_PER_GUILD: integerSetting(
    "Most events that a guild may hold; a series counts as one, and so does an occurrence that was changed or cancelled",
    DEFAULT_EVENTS_PER_GUILD,
    1,
    10_000_000,
  ),
};
