import { choiceSetting, integerSetting } from "../../mixins/settings/environment.ts";

/** Largest number of events of a guild without the setting. */
export const DEFAULT_EVENTS_PER_GUILD = 100_000;

export const calendarEventsSettings = {
  EVENTS_PER_GUILD: integerSetting(
    "Largest number of events of a guild; a series counts as one event, and so does each changed or cancelled occurrence",
    DEFAULT_EVENTS_PER_GUILD,
    1,
    10_000_000,
  ),
  FOLLOW_ALLOW_PRIVATE: choiceSetting(
    "Whether calendars may follow private, loopback and link-local addresses, also by http; only for trial",
    "no",
    ["no", "yes"],
  ),
};
