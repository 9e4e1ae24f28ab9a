/** The services whose changes make plans; each has a feed of the changes since a mark. */
export const FEEDS = ["announcements", "calendar-events", "guild-settings"] as const;
export type Feed = (typeof FEEDS)[number];
