import { offsetsIn, offsetsText } from "./offsets-text.js";
import { templateValue } from "./template-value.js";
import { dateTimeInstant, dateTimeText } from "./zoned-time.js";

/** @import { Announcement, Fields } from "./types.ts" */

/**
 * The values of the announcement's form, as its inputs have them.
 * @typedef {object} AnnouncementValues
 * @property {string} channel
 * @property {string} type
 * @property {string} eventId
 * @property {string} eventColor
 * @property {string} hours
 * @property {string} minutes
 * @property {string} offsets In place of hours and minutes, as `offsetsText` writes them; empty without offsets (D54).
 * @property {string} info
 * @property {string} title Of the template (D61).
 * @property {string} body
 * @property {string} templateFields The list of fields of the template as JSON; empty without one. The form keeps it.
 * @property {string} digestCalendar Of the digest (D65), as the following.
 * @property {string} digestFrequency
 * @property {string} digestWeekday
 * @property {string} digestTime
 * @property {string} digestDays
 * @property {string} digestColor Empty for events of every color.
 * @property {string} digestEmptyText
 * @property {boolean} editsMessages Whether sent messages are edited when their events change (D67).
 * @property {string} cleanUp Minutes from the end of the event to the deletion of sent messages (D68); empty if they stay.
 * @property {string} skipOn Number of the calendar of holidays (D66); empty without one.
 * @property {boolean} infoOnly
 * @property {string} pausedUntil Date and time in the zone of the form; empty without a pause (D62).
 * @property {boolean} enabled
 * @property {string} roles Ids, separated by blanks or commas.
 * @property {string} users
 */

/** @type {AnnouncementValues} */
export const NEW_ANNOUNCEMENT = {
  channel: "",
  type: "UNIVERSAL",
  eventId: "",
  eventColor: "NONE",
  hours: "1",
  minutes: "0",
  offsets: "",
  info: "",
  title: "",
  body: "",
  templateFields: "",
  digestCalendar: "1",
  digestFrequency: "DAILY",
  digestWeekday: "MO",
  digestTime: "09:00",
  digestDays: "1",
  digestColor: "",
  digestEmptyText: "",
  editsMessages: false,
  cleanUp: "",
  skipOn: "",
  infoOnly: false,
  pausedUntil: "",
  enabled: true,
  roles: "",
  users: "",
};

/** @type {Readonly<Record<keyof AnnouncementValues, string>>} */
const FIELD_NAMES = {
  channel: "channel",
  type: "type",
  eventId: "event_id",
  eventColor: "event_color",
  hours: "hours",
  minutes: "minutes",
  offsets: "offsets",
  info: "info",
  title: "template",
  body: "template",
  templateFields: "template",
  digestCalendar: "digest",
  digestFrequency: "digest",
  digestWeekday: "digest",
  digestTime: "digest",
  digestDays: "digest",
  digestColor: "digest",
  digestEmptyText: "digest",
  editsMessages: "on_change",
  cleanUp: "clean_up",
  skipOn: "skip_on",
  infoOnly: "info_only",
  pausedUntil: "paused_until",
  enabled: "enabled",
  roles: "subscribers_role",
  users: "subscribers_user",
};

/**
 * @param {Announcement} announcement
 * @param {string} zone The zone in which the form shows times.
 * @returns {AnnouncementValues}
 */
export const announcementValues = (announcement, zone) => ({
  channel: announcement.channel,
  type: announcement.type,
  eventId: announcement.event_id,
  eventColor: announcement.event_color,
  hours: String(announcement.hours),
  minutes: String(announcement.minutes),
  offsets: offsetsText(announcement.offsets),
  info: announcement.info,
  title: announcement.template?.title ?? "",
  body: announcement.template?.body ?? "",
  templateFields: announcement.template?.fields === undefined ? "" : JSON.stringify(announcement.template.fields),
  ...digestValues(announcement.digest),
  editsMessages: announcement.on_change === "EDIT",
  cleanUp: numberText(announcement.clean_up),
  skipOn: numberText(announcement.skip_on),
  infoOnly: announcement.info_only,
  pausedUntil: dateTimeText(announcement.paused_until, zone),
  enabled: announcement.enabled,
  roles: announcement.subscribers_role.join(" "),
  users: announcement.subscribers_user.join(" "),
});

/** @param {number | undefined} value */
const numberText = (value) => (value === undefined ? "" : String(value));

/** @param {Announcement["digest"]} digest */
function digestValues(digest) {
  const { digestCalendar, digestFrequency, digestWeekday, digestTime, digestDays, digestColor, digestEmptyText } =
    NEW_ANNOUNCEMENT;
  return {
    digestCalendar: digest === undefined ? digestCalendar : String(digest.calendar_number),
    digestFrequency: digest?.frequency ?? digestFrequency,
    digestWeekday: digest?.weekday ?? digestWeekday,
    digestTime: digest?.time ?? digestTime,
    digestDays: digest === undefined ? digestDays : String(digest.days),
    digestColor: digest?.color ?? digestColor,
    digestEmptyText: digest?.empty_text ?? digestEmptyText,
  };
}

/**
 * The fields of a create.
 * @param {AnnouncementValues} values
 * @param {string} zone
 * @returns {Fields}
 */
export function newAnnouncementFields(values, zone) {
  const names = /** @type {(keyof AnnouncementValues)[]} */ (Object.keys(FIELD_NAMES));
  return Object.fromEntries(
    names
      .filter((name) => isNeeded(name, values) && !isAbsent(name, values))
      .map((name) => [FIELD_NAMES[name], fieldValue(name, values, zone)]),
  );
}

/**
 * The fields of an update: those that were changed. A new type needs its own reference in the same request (D27).
 * @param {AnnouncementValues} before
 * @param {AnnouncementValues} after
 * @param {string} zone
 * @returns {Fields}
 */
export function changedAnnouncementFields(before, after, zone) {
  const names = /** @type {(keyof AnnouncementValues)[]} */ (Object.keys(FIELD_NAMES));
  const isNewType = before.type !== after.type;
  const isSent = (/** @type {keyof AnnouncementValues} */ name) =>
    isNeeded(name, after) &&
    (before[name] !== after[name] ||
      (isNewType && (name === "eventId" || name === "eventColor" || FIELD_NAMES[name] === "digest")));
  return Object.fromEntries(names.filter(isSent).map((name) => [FIELD_NAMES[name], fieldValue(name, after, zone)]));
}

/** @param {string} type */
export const needsEvent = (type) => type === "SPECIFIC" || type === "RECUR";

/**
 * @param {keyof AnnouncementValues} name
 * @param {AnnouncementValues} values
 */
function isNeeded(name, { type, offsets }) {
  if (FIELD_NAMES[name] === "digest") return type === "DIGEST";
  // Offsets and a lead time exclude each other (D54).
  if (isLeadTime(name) && offsets.trim() !== "") return false;
  if (type === "DIGEST" && NOT_OF_DIGESTS.has(FIELD_NAMES[name])) return false;
  if (name === "eventId") return needsEvent(type);
  return name !== "eventColor" || type === "COLOR";
}

/** The service refuses these fields of a digest. */
const NOT_OF_DIGESTS = new Set([
  "hours",
  "minutes",
  "offsets",
  "template",
  "on_change",
  "clean_up",
  "skip_on",
  "info_only",
]);

/** Names of values that a new announcement leaves out where they are empty. */
const ABSENT_IF_EMPTY = new Set(["offsets", "pausedUntil", "cleanUp", "skipOn"]);

/**
 * Whether a new announcement has no template, no pause, no offsets, no clean-up, or no calendar of holidays.
 * @param {keyof AnnouncementValues} name
 * @param {AnnouncementValues} values
 */
function isAbsent(name, values) {
  if (FIELD_NAMES[name] === "template") return templateValue(values) === null;
  if (name === "editsMessages") return !values.editsMessages;
  return ABSENT_IF_EMPTY.has(name) && String(values[name]).trim() === "";
}

/** @param {keyof AnnouncementValues} name */
const isLeadTime = (name) => name === "hours" || name === "minutes";

/**
 * The offsets of the values. Where they were removed, the lead time takes their place as an offset: the service leaves the offsets
 * if an update has the lead time that it shows with them (D54).
 * @param {AnnouncementValues} values
 */
function offsetsOf({ offsets, hours, minutes }) {
  const given = offsetsIn(offsets);
  return given.length > 0 ? given : [{ anchor: "START", minutes: 0 - Number(hours) * 60 - Number(minutes) }];
}

/** @param {AnnouncementValues} values */
const digestValue = (values) => ({
  calendar_number: Number(values.digestCalendar),
  frequency: values.digestFrequency,
  ...(values.digestFrequency === "WEEKLY" ? { weekday: values.digestWeekday } : {}),
  time: values.digestTime,
  days: Number(values.digestDays),
  ...(values.digestColor === "" ? {} : { color: values.digestColor }),
  ...(values.digestEmptyText === "" ? {} : { empty_text: values.digestEmptyText }),
});

/**
 * @param {keyof AnnouncementValues} name
 * @param {AnnouncementValues} values
 * @param {string} zone
 */
function fieldValue(name, values, zone) {
  if (FIELD_NAMES[name] === "digest") return digestValue(values);
  if (FIELD_NAMES[name] === "template") return templateValue(values);
  if (name === "offsets") return offsetsOf(values);
  if (name === "editsMessages") return values.editsMessages ? "EDIT" : "KEEP";
  if (name === "cleanUp" || name === "skipOn") return values[name] === "" ? null : Number(values[name]);
  if (name === "pausedUntil") return dateTimeInstant(values.pausedUntil, zone);
  if (name === "hours" || name === "minutes") return values[name] === "" ? 0 : Number(values[name]);
  if (name === "roles" || name === "users") return values[name].split(/[\s,]+/).filter((id) => id !== "");
  return name === "channel" || name === "eventId" ? values[name].trim() : values[name];
}
