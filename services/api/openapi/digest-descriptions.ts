/** The schemas of a digest (D65). The rules of a draft have no required members, so that it has a schema of its own. */
const SCHEMAS = [
  "Digest",
  "V1AnnouncementCreateRequestDigest",
  "V1AnnouncementUpdateRequestDigest",
  "DraftChangeDigest",
] as const;

const FIELDS = {
  calendar_number: "Number of the calendar whose events it lists, and on whose clock it is posted.",
  frequency: "How often it is posted.",
  weekday: "Day on which a WEEKLY digest is posted; absent for a DAILY one.",
  time: "Wall-clock time of the calendar at which it is posted, such as 09:00.",
  days: "Number of days that it lists, from its own instant on: 1 to 31. By default 1 for a DAILY digest, and 7 for a WEEKLY one.",
  color: "Color of the events that it lists, where NONE means events without a color; absent for all events.",
  empty_text: "Text that is posted if there is no event, at most 256 characters; without it nothing is posted then.",
};

/** Descriptions of the members of digests, by schema and wire name. */
export const DIGEST_DESCRIPTIONS: Readonly<Record<string, string>> = Object.fromEntries(
  SCHEMAS.flatMap((schema) => Object.entries(FIELDS).map(([name, text]) => [`${schema}.${name}`, text])),
);
