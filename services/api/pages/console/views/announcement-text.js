import { element } from "../element.js";
import { colorName, OFFSET_ANCHORS } from "../model/choices.js";
import { shownZone } from "../state.js";

/** @import { Announcement, PostOffset } from "../model/types.ts" */
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
  const { hours, minutes, offsets = [{ anchor: "START", minutes: -(hours * 60 + minutes) }] } = announcement;
  return `${offsets.map((offset) => offsetText(app, offset)).join(", ")}; ${coverText(app, announcement)}`;
}

/**
 * When a post is due by an offset, in words (D54).
 * @param {App} app
 * @param {PostOffset} offset
 */
export function offsetText({ t }, { anchor, minutes }) {
  const known = OFFSET_ANCHORS.find((each) => each === anchor);
  // A newer service may have further anchors.
  if (known === undefined) return `${anchor} ${minutes}`;
  if (minutes === 0) return t(`at_${known}`);
  const time = { hours: Math.floor(Math.abs(minutes) / 60), minutes: Math.abs(minutes) % 60 };
  return t(minutes < 0 ? `before_${known}` : `after_${known}`, time);
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
