import { privateNetworksSetting } from "../../mixins/http/private-networks.ts";
import { integerSetting } from "../../mixins/settings/environment.ts";

/** Largest number of events of a guild without the setting. */
export const DEFAULT_EVENTS_PER_GUILD = 100_000;

export const calendarEventsSettings = {
  EVENTS_PER_GUILD: integerSetting(
    "Largest number of events of a guild; a series counts as one event, and so does each changed or cancelled occurrence",
    DEFAULT_EVENTS_PER_GUILD,
    1,
    10_000_000,
  ),
  FOLLOW_ALLOW_PRIVATE: privateNetworksSetting(
    "The private, loopback and link-local addresses that calendars may follow, also by http",
  ),
};
