import { StartupError } from "../../run/startup-error.ts";
import type { ExportFolder } from "./export-folder.ts";
import { referredEvent } from "./map-announcement.ts";
import { pausedUntil } from "./map-settings.ts";
import type { SkipCode } from "./row-outcome.ts";
import { integerIn, snowflakeIn, type TableRow, textIn } from "./table-row.ts";

/** Rows with an image that are held in memory, about 30 MB. */
const MAX_IMAGES = 100_000;

/** Facts of one table that the import of another one needs. */
export interface Survey {
  /** Guilds for which DisCal does not post now. */
  readonly pausedGuilds: ReadonlySet<string>;
  readonly guildsWithManyCalendars: ReadonlySet<string>;
  /** The images of events by their ids, of each calendar (`calendarKey`). */
  readonly images: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

export const calendarKey = (guildId: string, calendarNumber: number) => `${guildId}-${calendarNumber}`;

/** Reads every table to its end, so that a malformed one is refused before anything is imported. */
export async function surveyExport(
  folder: Pick<ExportFolder, "rows">,
  { isWanted, now }: { readonly isWanted: (guildId: string) => boolean; readonly now: number },
): Promise<Survey> {
  const pausedGuilds = new Set<string>();
  for await (const row of folder.rows("guild_settings")) {
    const guildId = snowflakeIn(row, "guild_id");
    if (guildId !== undefined && (pausedUntil(row) ?? 0) > now) pausedGuilds.add(guildId);
  }
  const guilds = new Set<string>();
  const guildsWithManyCalendars = new Set<string>();
  for await (const row of folder.rows("calendars")) {
    const guildId = snowflakeIn(row, "guild_id") ?? "";
    if (guilds.has(guildId)) guildsWithManyCalendars.add(guildId);
    guilds.add(guildId);
  }
  const images = new Map<string, Map<string, string>>();
  let count = 0;
  for await (const row of folder.rows("events")) {
    const image = imageOf(row);
    if (typeof image === "string" || !isWanted(image.guildId)) continue;
    const key = calendarKey(image.guildId, image.calendarNumber);
    images.set(key, (images.get(key) ?? new Map<string, string>()).set(image.eventId, image.address));
    if ((count += 1) > MAX_IMAGES) {
      throw new StartupError(
        `The events have more than ${MAX_IMAGES} images: import some guilds at a time, with --guild`,
      );
    }
  }
  for await (const _row of folder.rows("announcements"));
  return { pausedGuilds, guildsWithManyCalendars, images };
}

interface EventImage {
  readonly guildId: string;
  readonly calendarNumber: number;
  readonly eventId: string;
  readonly address: string;
}

/** The image in a row of `events`. The table has the end of the event beside it, and nothing else. */
export function imageOf(row: TableRow): EventImage | SkipCode {
  const guildId = snowflakeIn(row, "guild_id");
  if (guildId === undefined) return "INVALID_GUILD";
  const eventId = textIn(row, "event_id");
  if (eventId === undefined) return "INVALID_ID";
  const address = textIn(row, "image_link");
  if (address === undefined) return "NO_IMAGE";
  if (!/^https?:\/\/[^\s\p{Cc}]{1,2040}$/iu.test(address)) return "INVALID_IMAGE";
  if (referredEvent(eventId).original !== undefined) return "OCCURRENCE";
  return { guildId, calendarNumber: integerIn(row, "calendar_number") ?? 1, eventId, address };
}
