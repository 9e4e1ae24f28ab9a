import type { Color } from "../../../contracts/calendar-events.contract.ts";
import { contentLine, textLine } from "./content-line.ts";
import { colorLine } from "./event-component.ts";

/** Interval at which calendar programs should refresh the feed. An unchanged feed gets a 304. */
const REFRESH = "PT15M";

interface FeedHead {
  readonly name: string;
  readonly timezone: string;
  readonly color?: Color | undefined;
}

/** The properties at the beginning of a feed: those of RFC 7986, and the older `X-` ones. */
export function beginOfCalendar({ name, timezone, color = "NONE" }: FeedHead): string {
  return (
    "BEGIN:VCALENDAR\r\n" +
    contentLine("VERSION", "2.0") +
    contentLine("PRODID", "-//guildcal//feed//EN") +
    contentLine("CALSCALE", "GREGORIAN") +
    textLine("NAME", name) +
    textLine("X-WR-CALNAME", name) +
    contentLine("X-WR-TIMEZONE", timezone) +
    contentLine("REFRESH-INTERVAL;VALUE=DURATION", REFRESH) +
    contentLine("X-PUBLISHED-TTL", REFRESH) +
    colorLine(color)
  );
}

export const END_OF_CALENDAR = "END:VCALENDAR\r\n";
