/** What the receiver takes at most (D33), in characters unless said otherwise. */
export const MOST_CONTENT = 2000;
export const MOST_TITLE = 256;
export const MOST_DESCRIPTION = 4096;
export const MOST_FIELD_VALUE = 1024;
export const MOST_AUTHOR = 256;
export const MOST_FOOTER = 2048;
export const MOST_URL = 2048;
/** Title, description, names and values of fields, author and footer together. */
export const MOST_EMBED = 6000;
/** Ids of one kind that one message may ping. */
export const MOST_MENTIONED_IDS = 100;
