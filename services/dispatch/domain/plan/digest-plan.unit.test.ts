import { describe, expect, test } from "@jest/globals";
import {
  HOUR,
  MINUTE,
  NOON,
  sampleAnnouncement,
  sampleOccurrence,
  samplePlanInput,
} from "../../../../test/fixtures/dispatch-samples.ts";
import { scheduleText } from "../../../contracts/announcement-digests.ts";
import type { Announcement } from "../../../contracts/announcements.contract.ts";
import type { AnnouncementId, OccurrenceId } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { Post } from "../post/post.ts";
import { covers } from "./covers.ts";
import { isEmptyDigest, NOTHING_TO_LIST } from "./empty-digest.ts";
import type { PlanInput } from "./plan-input.ts";
import { planPosts } from "./plan-posts.ts";

const DIGEST = { calendarNumber: 1, frequency: "DAILY", time: "13:00", days: 1 } as const;

function sampleDigest(differs: Partial<Announcement> = {}): Announcement {
  return sampleAnnouncement({ type: "DIGEST", digest: DIGEST, ...differs });
}

/** The digest of a date, as the owner of events computes it for the plan. */
function digestOccurrence(differs: Partial<Occurrence> = {}): Occurrence {
  const startsAt = differs.startsAt ?? NOON + HOUR;
  const ids = { occurrenceId: "da1_19700211" as OccurrenceId, eventId: "da1_19700211" as never };
  const digest = { announcementId: "a1" as AnnouncementId, schedule: scheduleText(DIGEST) };
  return sampleOccurrence({ ...ids, startsAt, endsAt: startsAt + 24 * HOUR, isFirst: false, digest, ...differs });
}

function planOf(differs: Partial<PlanInput> = {}) {
  return planPosts(samplePlanInput({ announcements: [sampleDigest()], occurrences: [digestOccurrence()], ...differs }));
}

function insertedPost(differs: Partial<PlanInput> = {}): Post {
  const [post] = planOf(differs).inserts;
  if (post === undefined) throw new Error("nothing is planned");
  return post;
}

describe("the plan of a digest (D65)", () => {
  test("has one post for each instant, which may be sent for the grace time", () => {
    const { inserts } = planOf();
    expect(inserts).toHaveLength(1);
    expect(inserts[0]).toMatchObject({
      id: `a1:da1_19700211:${NOON + HOUR}:log:1`,
      dueAt: NOON + HOUR,
      deadline: NOON + HOUR + 15 * MINUTE,
    });
    expect(planOf({ existing: inserts })).toMatchObject({ inserts: [], updates: [], removes: [] });
  });

  test("is not that of any other announcement, and a digest covers no event", () => {
    const digest = digestOccurrence();
    const others = [
      sampleAnnouncement(),
      sampleAnnouncement({ type: "COLOR" }),
      sampleAnnouncement({ type: "SPECIFIC", eventId: digest.occurrenceId }),
      sampleDigest({ id: "a2" as AnnouncementId }),
      sampleDigest({ digest: { ...DIGEST, time: "14:00" } }),
    ];
    expect(others.map((each) => covers(each, digest))).toEqual(others.map(() => false));
    expect(planOf({ announcements: others }).inserts).toEqual([]);
    expect(covers(sampleDigest(), digest)).toBe(true);
    expect(covers(sampleDigest(), sampleOccurrence())).toBe(false);
    expect(planOf({ occurrences: [sampleOccurrence()] }).inserts).toEqual([]);
  });

  test("leaves out instants before the announcement was created, enabled or re-timed (D31)", () => {
    expect(planOf({ announcements: [sampleDigest({ standsSince: NOON + HOUR + 1 })] }).inserts).toEqual([]);
    expect(planOf({ announcements: [sampleDigest({ standsSince: NOON + HOUR })] }).inserts).toHaveLength(1);
  });

  test("skips a digest whose calendar got its time zone after the instant", () => {
    const past = digestOccurrence({ startsAt: NOON - MINUTE, scheduledAt: NOON });
    expect(insertedPost({ occurrences: [past] })).toMatchObject({
      state: "skipped",
      reason: "the calendar got its time zone after it was due",
    });
    const ahead = digestOccurrence({ scheduledAt: NOON });
    expect(insertedPost({ occurrences: [ahead] })).toMatchObject({ state: "planned", dueAt: NOON + HOUR });
  });

  test("moves what was not sent with the time of the digest or the zone of the calendar", () => {
    const planned = insertedPost();
    const moved = digestOccurrence({ startsAt: NOON + 3 * HOUR, scheduledAt: NOON });
    const { inserts, updates } = planOf({ occurrences: [moved], existing: [planned] });
    expect(inserts).toMatchObject([{ dueAt: NOON + 3 * HOUR }]);
    expect(updates).toMatchObject([
      {
        id: planned.id,
        to: { state: "cancelled", reason: "the announcement was re-timed, or its calendar got another time zone" },
      },
    ]);
  });

  test("sends a digest again on the same date only at another instant that was ahead", () => {
    const sent: Post = { ...insertedPost(), state: "sent", settledAt: NOON + HOUR };
    const later = { now: NOON + 2 * HOUR, existing: [sent] };
    const ahead = digestOccurrence({ startsAt: NOON + 3 * HOUR, scheduledAt: NOON + 2 * HOUR });
    expect(planOf({ ...later, occurrences: [ahead] }).inserts).toMatchObject([{ state: "planned" }]);
    expect(planOf(later).inserts).toEqual([]);
  });

  test("skips an empty digest once, and posts it at another instant", () => {
    const now = NOON + HOUR + MINUTE;
    const empty: Post = { ...insertedPost(), state: "skipped", reason: NOTHING_TO_LIST, settledAt: NOON + HOUR };
    expect(planOf({ now, existing: [empty] })).toMatchObject({ inserts: [], updates: [] });
    const moved = digestOccurrence({ startsAt: NOON + 2 * HOUR, scheduledAt: NOON });
    expect(planOf({ now, existing: [empty], occurrences: [moved] }).inserts).toMatchObject([{ state: "planned" }]);
  });

  test("cancels a digest whose announcement has become another type, and the posts of one that has become a digest", () => {
    const planned = insertedPost();
    const { updates } = planOf({ announcements: [sampleAnnouncement()], existing: [planned] });
    expect(updates).toMatchObject([{ to: { reason: "the announcement is no digest any more" } }]);
    const ofEvent = insertedPost({ announcements: [sampleAnnouncement()], occurrences: [sampleOccurrence()] });
    const occurrences = [sampleOccurrence()];
    expect(planOf({ existing: [ofEvent], occurrences }).updates).toMatchObject([{ to: { state: "cancelled" } }]);
  });

  test("a digest is empty only if its events are known and it has no text for that case", () => {
    const listing = (entries: readonly never[] | undefined) =>
      digestOccurrence({ digest: { ...digestOccurrence().digest!, ...(entries && { entries }) } });
    const withText = sampleDigest({ digest: { ...DIGEST, emptyText: "Nothing" } });
    expect(isEmptyDigest({ announcement: sampleDigest(), occurrence: listing([]) })).toBe(true);
    expect(isEmptyDigest({ announcement: withText, occurrence: listing([]) })).toBe(false);
    expect(isEmptyDigest({ announcement: sampleDigest(), occurrence: listing(undefined) })).toBe(false);
    expect(isEmptyDigest({ announcement: sampleDigest(), occurrence: sampleOccurrence() })).toBe(false);
  });
});
