import { describe, expect, test } from "@jest/globals";
import type { EventId, GuildId } from "../../../contracts/ids.ts";
import { unwrittenCalendar } from "../calendar/calendar.ts";
import { newEventId } from "../event/event-id.ts";
import { contentIndex, isGone } from "./content-index.ts";
import {
  disabledCalendar,
  followedCalendar,
  type FollowReading,
  followView,
  readFailed,
  readSucceeded,
  unfollowedCalendar,
} from "./follow.ts";
import { DISABLED_AFTER_MS, intervalOf } from "./follow-schedule.ts";

const MINUTE = 60_000;
const now = Date.UTC(2030, 0, 1);
const unread: FollowReading = { nextAt: now, failures: 0 };
const failure = { error: "HTTP_STATUS", errorMessage: "the status was 500" } as const;
const calendar = unwrittenCalendar("1" as GuildId, 1);
const url = "https://calendar.example/secret.ics";

describe("the time of the next read", () => {
  test("is 15 minutes later, or as REFRESH-INTERVAL says, from 5 minutes to a day", () => {
    const texts = [undefined, "PT1H", "PT1S", "P1W", "P1DT2H", "-PT1H", "soon", "PT0S"];
    expect(texts.map((text) => intervalOf(text) / MINUTE)).toEqual([15, 60, 5, 1_440, 1_440, 15, 15, 5]);
  });

  test("is up to a tenth earlier or later", () => {
    const next = [0, 0.5, 0.999_999_999].map(
      (random) => readSucceeded(unread, { intervalMs: 100 * MINUTE }, now, random).nextAt - now,
    );
    expect(next).toEqual([90 * MINUTE, 100 * MINUTE, 110 * MINUTE]);
  });

  test("after failures is later with each of them, and not before the response allows it", () => {
    const waits = [];
    let reading = unread;
    for (let at = 0; at < 9; at += 1) {
      reading = readFailed(reading, failure, now, 0.5);
      waits.push((reading.nextAt - now) / MINUTE);
    }
    expect(waits).toEqual([5, 10, 20, 40, 60, 120, 240, 240, 240]);
    expect(readFailed(unread, { ...failure, retryAfterMs: 30 * MINUTE }, now, 0.5).nextAt).toBe(now + 30 * MINUTE);
  });

  test("does not come when the address has failed for a week", () => {
    const before = { ...unread, failures: 40, failingSince: now };
    const at = (ms: number) => readFailed(before, failure, now + ms, 0.5).isOver;
    expect([at(DISABLED_AFTER_MS - 1), at(DISABLED_AFTER_MS)]).toEqual([false, true]);
  });
});

describe("the state of a followed calendar", () => {
  const counts = { created: 1, updated: 2, unchanged: 3, deleted: 4, skipped: 5 };
  const content = { etag: '"1"', lastModified: "yesterday", digest: "0 d", intervalMs: MINUTE };
  const read = readSucceeded(unread, { ...content, counts }, now, 0.5);

  test("keeps the counts and the last change while nothing changes", () => {
    expect(read).toMatchObject({ ...counts, lastChangeAt: now, lastSuccessAt: now });
    const later = readSucceeded(read, content, now + 5, 0.5);
    expect(later).toMatchObject({ ...counts, lastChangeAt: now, lastSuccessAt: now + 5, lastReadAt: now + 5 });
    const same = readSucceeded(
      later,
      { ...content, counts: { ...counts, created: 0, updated: 0, deleted: 0 } },
      now + 9,
      0,
    );
    expect(same.lastChangeAt).toBe(now);
  });

  test("has no validators of a response that must be imported again", () => {
    const { etag, lastModified, digest } = readSucceeded(read, { intervalMs: MINUTE, counts }, now, 0.5);
    expect([etag, lastModified, digest]).toEqual([undefined, undefined, undefined]);
  });

  test("keeps what was read before while reads fail, and has no error after a success", () => {
    const { isOver: _, ...failed } = readFailed(readFailed(read, failure, now + 5, 0.5), failure, now + 9, 0.5);
    expect(failed).toMatchObject({
      ...read,
      ...failure,
      failures: 2,
      failingSince: now + 5,
      nextAt: failed.nextAt,
      lastReadAt: now + 9,
    });
    expect(readSucceeded(failed, content, now + 20, 0.5)).not.toHaveProperty("error");
    expect(readSucceeded(failed, content, now + 20, 0.5)).not.toHaveProperty("failingSince");
  });

  test("shows the address only to keys that may write, because it is often a secret", () => {
    const followed = followedCalendar(calendar, "webcal://calendar.example/secret.ics", now).calendar;
    expect(followView(followed, read, true)).toMatchObject({
      url,
      host: "calendar.example",
      state: "active",
      failures: 0,
    });
    expect(JSON.stringify(followView(followed, read, false))).not.toContain("secret");
    expect(followView(calendar, undefined, true)).toBeUndefined();
  });

  test("is disabled only for the address that has failed, and shows no next read", () => {
    const followed = followedCalendar(calendar, url, now).calendar;
    expect(disabledCalendar(followed, now - 1, now)).toBeUndefined();
    const disabled = disabledCalendar(followed, now, now + 7)!.calendar;
    expect(disabledCalendar(disabled, now, now + 8)).toBeUndefined();
    const view = followView(disabled, read, true);
    expect(view).toMatchObject({ state: "disabled", disabledAt: now + 7 });
    expect(view).not.toHaveProperty("nextReadAt");
    expect(unfollowedCalendar(disabled)).toMatchObject({ calendar: { revision: 3 }, reading: "ends" });
    expect(unfollowedCalendar(calendar)).toEqual({ refusal: "FOLLOW_NOT_FOUND" });
  });
});

describe("an event of a followed calendar", () => {
  const idAt = (at: number) => newEventId(at, new Uint8Array(15).fill(7));
  const [older, newer] = [idAt(now - 1), idAt(now + 1)] as [EventId, EventId];
  const gone = (event: { id: EventId; uid?: string }, ...uids: string[]) =>
    isGone({ isLaterPart: false, ...event }, contentIndex(uids), now);

  test("is gone if its UID is", () => {
    expect([gone({ id: newer, uid: "a" }, "b"), gone({ id: older, uid: "a" }, "a", "b")]).toEqual([true, false]);
  });

  test("is gone if it was split from a series, which the address has as a whole", () => {
    const { uids, ids } = contentIndex(["a"]);
    expect(isGone({ id: older, uid: "a", isLaterPart: true }, { uids, ids }, now)).toBe(true);
  });

  test("without a UID is gone if it is older, unless the address is a feed of its calendar", () => {
    expect(gone({ id: older }, "a")).toBe(true);
    expect([older, `${older}-2`, `${older}_1893456000000`].map((uid) => gone({ id: older }, uid))).toEqual([
      false,
      false,
      false,
    ]);
  });

  test("that a request created at the same moment stays", () => {
    expect(gone({ id: newer }, "a")).toBe(false);
  });
});
