import { element } from "../element.js";
import { colorName } from "../model/choices.js";
import { shownZone } from "../state.js";

/** @import { Announcement } from "../model/types.ts" */
/** @import { App } from "../state.js" */

/**
 * What an announcement covers, in words.
 * @param {App} app
 * @param {Announcement} announcement
 */
export function coverText({ t, store }, { type, event_id, event_color, digest }) {
  if (digest !== undefined) return t("covers_DIGEST", { number: digest.calendar_number, days: digest.days });
  if (type === "UNIVERSAL") return t("covers_UNIVERSAL");
  if (type === "COLOR") return t("covers_COLOR", { color: colorName(event_color) });
  // A newer service may have further types.
  if (type !== "RECUR" && type !== "SPECIFIC") return type;
  const series = event_id.split("_")[0];
  const event = store.state.entries.find(
    (each) => each.event_id === event_id || each.event_id.split("_")[0] === series,
  );
  const name = event?.name ?? event_id;
  return t(`covers_${type}`, { name });
}

/**
 * When an announcement is posted and what it covers.
 * @param {App} app
 * @param {Announcement} announcement
 */
export function leadText(app, announcement) {
  const { t, format } = app;
  const { digest } = announcement;
  if (digest !== undefined) {
    const day = digest.weekday === undefined ? "" : ` (${format.weekdayName(digest.weekday)})`;
    const frequency = t(digest.frequency === "WEEKLY" ? "frequency_WEEKLY" : "frequency_DAILY");
    return `${frequency}${day}, ${digest.time}; ${coverText(app, announcement)}`;
  }
  const minutes = announcement.hours * 60 + announcement.minutes;
  const lead = t("lead", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
  return `${minutes === 0 ? t("lead_none") : lead}; ${coverText(app, announcement)}`;
}

/**
 * Says until when posts are paused; null if they are not (D62).
 * @param {App} app
 * @param {number | undefined} paused_until
 */
export const pausedTag = ({ t, format, store }, paused_until) =>
  paused_until === undefined || paused_until <= Date.now()
    ? null
    : element(
        "span",
        { class: "tag warning" },
        t("paused_until", { time: format.instant(paused_until, shownZone(store.state)) }),
      );
