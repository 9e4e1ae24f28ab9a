/** Discord's limits of a message (D33), in characters unless a comment says otherwise. */
export const MAX_CONTENT = 2000;
export const MAX_TITLE = 256;
export const MAX_DESCRIPTION = 4096;
export const MAX_FIELD_VALUE = 1024;
export const MAX_AUTHOR = 256;
export const MAX_FOOTER = 2048;
export const MAX_URL = 2048;
/** Sum of title, description, names and values of fields, author and footer. */
export const MAX_EMBED = 6000;
/** Number of ids of one kind that one message may ping. */
export const MAX_MENTIONED_IDS = 100;
