import type { TestedGuard } from "./guard.ts";

const lines = {
  file: "services/calendar-events/domain/feed/content-line.ts",
  testFile: "services/calendar-events/domain/feed/content-line.unit.test.ts",
};
const zones = {
  file: "services/calendar-events/domain/feed/time-zone-component.ts",
  testFile: "services/calendar-events/domain/feed/time-zone-component.unit.test.ts",
};
const parts = {
  file: "services/calendar-events/domain/feed/series-parts.ts",
  testFile: "services/calendar-events/feed/feed-pages.unit.test.ts",
};
const server = {
  file: "services/api/http/http-server.ts",
  testFile: "services/api/http/streamed-body.unit.test.ts",
};
const admission = { testFile: "services/api/feeds/feed-admission.unit.test.ts" };
const download = {
  file: "services/api/feeds/feed-download.ts",
  testFile: "services/api/feeds/feed-download.unit.test.ts",
};
const feeds = { testFile: "services/api/feeds/feeds.int.test.ts" };

/** Feeds of calendars (D47): what is written, who reads it, and how it is sent. */
export const FEED_GUARDS: readonly TestedGuard[] = [
  {
    ...lines,
    guard: "a line of a feed has at most 75 octets",
    in: "fold",
    code: "$_ + $_ > MAX_OCTETS",
    without: "false",
    test: "has at most 75 octets in each line",
  },
  {
    ...lines,
    guard: "a line break in a text begins no line of the feed",
    in: "escapeText",
    code: "$TEXT.replaceAll($$$)",
    without: "$TEXT",
    test: "cannot begin a line of its own",
  },
  {
    ...zones,
    guard: "clock changes that leave out a year are none that come back every year",
    in: "regularFrom",
    code: "Math.max(-Infinity, $$$)",
    without: "-Infinity",
    test: "of every zone has the changes of its clock",
  },
  {
    ...parts,
    guard: "a series that a zone has moved ends in the zone before",
    in: "partsOf",
    code: "localToInstant($$$) - SECOND_MS",
    without: "undefined",
    test: "has the same instants by ical.js",
  },
  {
    ...parts,
    guard: "a first occurrence at the later of two equal wall times is given as an instant",
    in: "isLaterOfTwo",
    code: "localToInstant($$$) !== $_",
    without: "false",
    test: "is the golden one",
  },
  {
    guard: "a feed after a write of the last seconds has a tag that matches nothing",
    file: "services/calendar-events/feed/feed-pages.ts",
    in: "feedPages",
    code: "$_ - $_ >= CHANGE_FEED_OVERLAP_MS",
    without: "true",
    ...feeds,
    test: "leaves no tag that matches",
  },
  {
    guard: "the tag of a feed is forgotten before a removal is",
    file: "services/calendar-events/domain/feed/feed-tag.ts",
    in: "isTagOf",
    code: "$_ < TOMBSTONE_DAYS - 1",
    without: "true",
    testFile: "services/calendar-events/domain/feed/feed-tag.unit.test.ts",
    test: "is no more after days in which an event may have been removed",
  },
  {
    guard: "all pages of a feed are of the moment at which it was opened",
    file: "services/calendar-events/store/feed-reads.store.ts",
    in: "feedReads",
    code: "streamRows<FeedRow>($A, $B, snapshotTimeOf($_))",
    without: "streamRows<FeedRow>($A, $B)",
    testFile: "test/integration/large-feed.int.test.ts",
    test: "shows the moment at which it was opened",
  },
  {
    guard: "a guild has at most 100 feeds, also where many are made at once",
    file: "services/api/feeds/feeds.store.ts",
    in: "insert",
    code: "{ _id: $ID, [`feeds.${MAX_FEEDS - 1}`]: { $exists: false } }",
    without: "{ _id: $ID }",
    ...feeds,
    test: "also where many are made at once",
  },
  {
    ...server,
    guard: "a stream is made no faster than its reader takes it",
    in: "writeStream",
    code: "await waitForDrain($_);",
    without: "",
    test: "is made as fast as it is taken",
  },
  {
    ...server,
    guard: "a stream ends when its reader is gone",
    in: "writeStream",
    code: "if ($_.destroyed) return;",
    without: "",
    test: "no further when its reader is gone",
  },
  {
    ...server,
    guard: "the client of a stream has the time for reading a response for each piece",
    in: "writeStream",
    code: "$_.pieceRead($_);",
    without: "",
    test: "has the time for reading a response, for each of its pieces",
  },
  {
    ...download,
    guard: "a feed of which a page cannot be read does not end as if it were whole",
    in: "pages",
    code: "readPage($$$PAGE).catch($$$)",
    without: "readPage($$$PAGE).catch(() => ({ text: '' }))",
    test: "and breaks where another cannot",
  },
  {
    ...download,
    guard: "four feeds of a guild are sent at once",
    in: "FEEDS_OF_A_GUILD",
    property: "initial: $_",
    without: "initial: 99",
    test: "waits where four of its guild are under way",
  },
  {
    ...admission,
    guard: "a token of a feed has the secret that is stored",
    file: "services/api/feeds/feed-authenticator.ts",
    in: "authenticate",
    code: "sameDigest($$$)",
    without: "true",
    test: "with the id of a feed and another secret opens nothing",
  },
  {
    ...admission,
    guard: "a made-up token of a feed costs no look into the store",
    file: "services/api/feeds/feed-authenticator.ts",
    in: "authenticate",
    code: "isSignedId($$$)",
    without: "true",
    test: "that was made up costs no look into the store",
  },
  {
    ...admission,
    guard: "a wrong token of a feed counts as a wrong key does",
    file: "services/api/feeds/feed-admission.ts",
    in: "feedAdmission",
    code: "$RATES.failures.take($$$ARGUMENTS)",
    without: "$RATES.failures.peek($$$ARGUMENTS)",
    test: "counts as a failed key of its address does",
  },
  {
    ...admission,
    guard: "reads of feeds do not use up what the guild's keys may ask",
    file: "services/api/feeds/feed-admission.ts",
    in: "feedAdmission",
    code: "`feeds of ${$FEED.guildId}`",
    without: "$FEED.guildId",
    test: "and leaves those to the guild",
  },
  {
    guard: "the log has no token of a feed",
    file: "services/api/observability/access-log.ts",
    in: "accessLogFields",
    code: "withoutToken($PATH)",
    without: "$PATH",
    testFile: "services/api/observability/access-log.unit.test.ts",
    test: "has no token of a feed",
  },
];
