import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { calendarBody, vevent } from "../../../test/harness/calendar-server.ts";
import { fetched, firstCalendar, startFollowReplicas } from "../../../test/harness/follow-replicas.ts";
import { runInWriteContext } from "../../../mixins/mongo/write-context.ts";
import { newWriteId } from "../../../mixins/mongo/write-id.ts";
import { isRefusal } from "../../contracts/errors.ts";
import { unwrittenCalendar } from "../domain/calendar/calendar.ts";
import { changeEvent } from "../domain/event/change-event.ts";
import { newEventId } from "../domain/event/event-id.ts";
import { splitSeries } from "../domain/event/split-series.ts";
import { DISABLED_AFTER_MS } from "../domain/follow/follow-schedule.ts";
import type { FetchResult } from "./fetch-calendar.ts";
import { LEASE_MS, visitFollow } from "./visit-follow.ts";

const MINUTE = 60_000;
const [a, b, c] = ["a", "b", "c"].map((uid) => vevent(uid, "20300101T100000Z")) as [string, string, string];
const daily = (more: string) => vevent("s", "20300101T100000Z", `\nRRULE:FREQ=DAILY;COUNT=10${more}`);
const moved = `UID:s\nRECURRENCE-ID:20300103T100000Z\nDTSTART:20300103T150000Z\nDURATION:PT1H\nSUMMARY:moved`;
const status500: FetchResult = { kind: "failed", error: "HTTP_STATUS", errorMessage: "the status was 500" };

describe("a calendar that follows an address (D55)", () => {
  let replicas: Awaited<ReturnType<typeof startFollowReplicas>>;
  const of = firstCalendar(1);

  beforeEach(async () => {
    replicas = await startFollowReplicas();
  });
  afterEach(() => replicas.stop());

  const names = async () =>
    (await replicas.events(of)).map(({ name = "" }) => name).toSorted((one, other) => one.localeCompare(other));
  const serve =
    (...events: readonly string[]) =>
    () =>
      fetched(calendarBody(events));
  const readingOf = async () => (await replicas.readings.find(of))!;

  test("has the events of the address after each read, and those that are gone are deleted", async () => {
    await replicas.follow(of);
    await replicas.read(serve(a, b));
    expect(await names()).toEqual(["a", "b"]);
    await replicas.read(serve(b.replace("SUMMARY:b", "SUMMARY:renamed"), c));
    expect(await names()).toEqual(["c", "renamed"]);
    expect(await readingOf()).toMatchObject({
      created: 1,
      updated: 1,
      unchanged: 0,
      deleted: 1,
      skipped: 0,
      failures: 0,
    });
    await replicas.read(serve());
    expect(await names()).toEqual([]);
    expect(replicas.ended).toEqual(["changed", "changed", "changed"]);
  });

  test("is not written while the address has the same events, whatever else its response has", async () => {
    await replicas.follow(of);
    await replicas.read(serve(a, daily("")));
    const before = [...replicas.written];
    const again = [a, daily("")].map((event) => event.replace("DTSTAMP:2026", "DTSTAMP:2027"));
    await replicas.read(() => fetched(calendarBody(again, "X-WR-CALNAME:other\n")), {
      importCalendar: () => Promise.reject(new Error("the same events are imported again")),
    });
    expect(await readingOf()).toMatchObject({ failures: 0, created: 2 });
    await replicas.read(serve(daily(""), a));
    expect(await readingOf()).toMatchObject({ unchanged: 2, created: 0, updated: 0, deleted: 0 });
    expect(replicas.written).toEqual(before);
    expect(replicas.ended).toEqual(["changed", "unchanged", "unchanged"]);
  });

  test("sends the validators of the last response, and no others after the calendar's zone has changed", async () => {
    const asked: object[] = [];
    const ask = (zone: number) =>
      replicas.read(
        (_url, validators) => {
          asked.push(validators);
          return "etag" in validators ? Promise.resolve({ kind: "notModified" }) : fetched(calendarBody([a]), '"1"');
        },
        { zoneVersion: async () => zone },
      );
    await replicas.follow(of);
    for (const zone of [0, 0, 0, 1, 1]) await ask(zone);
    expect(asked).toEqual([{}, { etag: '"1"' }, { etag: '"1"' }, {}, { etag: '"1"' }]);
    expect(await readingOf()).toMatchObject({ failures: 0 });
  });

  test("keeps its events while reads fail, ever more seldom, and is disabled after a week", async () => {
    await replicas.follow(of);
    await replicas.read(serve(a));
    const since = replicas.time.now;
    const waits: number[] = [];
    while ((await replicas.calendars.find(of.guildId, 1)).follow?.disabledAt === undefined) {
      if (waits.length > 100) throw new Error("it is never disabled");
      const before = replicas.time.now;
      await replicas.read(async () => status500);
      waits.push(Math.round((replicas.time.now - before) / MINUTE));
    }
    expect(waits.slice(0, 9)).toEqual([15, 5, 10, 20, 40, 60, 120, 240, 240]);
    expect(replicas.time.now - since).toBeGreaterThanOrEqual(DISABLED_AFTER_MS);
    expect(replicas.time.now - since).toBeLessThan(DISABLED_AFTER_MS + 600 * MINUTE);
    expect(await names()).toEqual(["a"]);
    expect(await replicas.management.get(of, true)).toMatchObject({ state: "disabled", error: "HTTP_STATUS" });
    replicas.time.now += 30 * DISABLED_AFTER_MS;
    expect(await replicas.dueNow()).toEqual([]);
    await replicas.follow(of);
    await replicas.read(serve(b));
    expect(await names()).toEqual(["b"]);
    expect(await replicas.management.get(of, true)).toMatchObject({ state: "active", failures: 0 });
  });

  test("is read by one replica, and one calendar of a guild at a time; a vanished reader is replaced", async () => {
    const second = { ...of, calendarNumber: 2 };
    await replicas.follow(of);
    await replicas.follow(second);
    const due = await replicas.dueNow();
    expect(due).toHaveLength(2);
    const { now } = replicas.time;
    const claims = await Promise.all(
      [...due, ...due, ...due].map((each) => replicas.readings.claim(each, now, now + LEASE_MS)),
    );
    const [claim, ...others] = claims.filter((each) => each !== undefined);
    expect([claim !== undefined, others]).toEqual([true, []]);
    expect(await replicas.dueNow()).toHaveLength(1);
    replicas.time.now += LEASE_MS;
    const vanished = (await replicas.dueNow()).find(({ calendarNumber }) => calendarNumber === claim!.calendarNumber)!;
    const next = await replicas.readings.claim(vanished, replicas.time.now, replicas.time.now + LEASE_MS);
    expect(next).toBeDefined();
    expect(await replicas.readings.renew(claim!, replicas.time.now + LEASE_MS)).toBe(false);
    expect(await replicas.readings.release(claim!, { nextAt: 0, failures: 9 })).toBe(false);
    expect(await replicas.readings.release(next!, { nextAt: replicas.time.now, failures: 0 })).toBe(true);
    expect(await replicas.dueNow()).toHaveLength(2);
  });

  test("is changed no more by a reader whose address was replaced meanwhile", async () => {
    await replicas.follow(of);
    const [due] = await replicas.dueNow();
    const slow = async () => {
      await replicas.management.unfollow(of);
      return fetched(calendarBody([a]));
    };
    await visitFollow(replicas.ports(slow), due!, () => false);
    expect(await names()).toEqual([]);
    expect(await replicas.management.get(of, true)).toEqual({ refusal: "FOLLOW_NOT_FOUND" });
    await replicas.follow(of);
    expect(await readingOf()).toMatchObject({ failures: 0 });
  });

  test("that is read for too long, or while its process stops, deletes nothing, and goes on with the next read", async () => {
    await replicas.follow(of);
    await replicas.read(serve(a, b));
    const stopping = { is: false };
    const [due] = await replicas.dueNow().then(async () => {
      replicas.time.now = (await readingOf()).nextAt;
      return replicas.dueNow();
    });
    const stop = () => {
      stopping.is = true;
      return fetched(calendarBody([c]));
    };
    await visitFollow(replicas.ports(stop), due!, () => stopping.is);
    expect(await names()).toEqual(["a", "b"]);
    expect(await readingOf()).toMatchObject({ failures: 0 });
    expect(await replicas.dueNow()).toHaveLength(1);
    await replicas.read(async () => {
      replicas.time.now += 300_001;
      return fetched(calendarBody([c]));
    });
    expect(await names()).toEqual(["a", "b"]);
    expect(await readingOf()).toMatchObject({ error: "NOT_COMPLETE", failures: 1 });
    await replicas.read(serve(c));
    expect(await names()).toEqual(["c"]);
  });

  test("keeps the event of a VEVENT that cannot be read any more", async () => {
    await replicas.follow(of);
    await replicas.read(serve(a, b));
    await replicas.read(serve(a.replace("DTSTART:2030", "DTSTART:x"), `${b}\nCOLOR:${"x".repeat(40_000)}`));
    expect(await names()).toEqual(["a", "b"]);
    expect(await readingOf()).toMatchObject({ skipped: 2, deleted: 0 });
  });

  test("has the changes of occurrences that the address has, and no others", async () => {
    const overridden = async () => {
      const [series] = await replicas.events(of);
      return (await replicas.store.overriddenStarts(of.guildId, series!.id)).map((at) =>
        new Date(at).toISOString().slice(0, 10),
      );
    };
    const cancelled = moved.replace("0103T10", "0104T10").replace("\nSUMMARY:moved", "\nSTATUS:CANCELLED");
    await replicas.follow(of);
    await replicas.read(serve(daily(""), moved, cancelled));
    expect(await overridden()).toEqual(["2030-01-03", "2030-01-04"]);
    await replicas.read(serve(daily(""), moved));
    expect(await overridden()).toEqual(["2030-01-03"]);
    const [before] = await replicas.events(of);
    await replicas.read(serve(daily("")));
    expect(await overridden()).toEqual([]);
    const [after] = await replicas.events(of);
    expect(after).toMatchObject({ revision: before!.revision + 1, scheduledAt: before!.scheduledAt });
    expect(after!.recurring).toMatchObject({ hasOverrides: false });
    expect(replicas.written.at(-1)).toBe(`${after!.id} ${after!.revision}`);
  });

  test("is read again where an event had no room, and another import had the calendar", async () => {
    await replicas.stop();
    replicas = await startFollowReplicas(1);
    await replicas.follow(of);
    await replicas.read(serve(a, b));
    expect(await readingOf()).toMatchObject({ created: 1, skipped: 1, failures: 0 });
    await replicas.read(serve(a, b));
    expect(await readingOf()).toMatchObject({ unchanged: 1, skipped: 1 });
    await replicas.imports.lease({ ...of, importId: "another" });
    await replicas.read(serve(c));
    expect(await readingOf()).toMatchObject({ error: "CALENDAR_BUSY", failures: 1 });
  });

  test("takes no address while it has events, unless they may be replaced", async () => {
    await replicas.follow(of);
    await replicas.read(serve(a));
    await replicas.management.unfollow(of);
    const url = "https://calendar.example/b.ics";
    expect(await replicas.management.follow({ ...of, url })).toEqual({ refusal: "CALENDAR_NOT_EMPTY" });
    expect(await replicas.management.follow({ ...of, url, replace: true })).toEqual(expect.any(Number));
    expect(await readingOf()).not.toHaveProperty("etag");
  });

  test("has a series as a whole, also one that was split before the calendar followed the address", async () => {
    await replicas.follow(of);
    await replicas.read(serve(daily("")));
    await replicas.management.unfollow(of);
    const [stored] = await replicas.events(of);
    const id = newEventId(Date.parse("2029-12-31"), new Uint8Array(15).fill(9));
    const calendar = unwrittenCalendar(of.guildId, 1);
    const split = splitSeries(stored!, Date.parse("2030-01-04T10:00:00Z"), id, calendar);
    const following = isRefusal(split) ? split : changeEvent(split.following, {}, calendar);
    if (isRefusal(split) || isRefusal(following)) throw new Error("not split");
    const parts = { before: split.before, following, stored: stored!, from: following.event.startsAt, keep: [] };
    expect(
      await runInWriteContext({ deadline: Date.now() + 60_000, id: newWriteId() }, () => replicas.store.split(parts)),
    ).toBe(true);
    const counts = async () => new Set((await replicas.events(of)).map(({ recurring }) => recurring?.recurrence.count));
    expect(await counts()).toEqual(new Set([3, 7]));
    await replicas.management.follow({ ...of, url: "https://calendar.example/b.ics", replace: true });
    await replicas.read(serve(daily("")));
    expect(await counts()).toEqual(new Set([10]));
    expect(await readingOf()).toMatchObject({ updated: 1, deleted: 1, skipped: 0 });
  });

  test("that the guild may not have any more is not read", async () => {
    await replicas.follow(of);
    const neverFetched = () => Promise.reject(new Error("fetched"));
    await replicas.read(neverFetched, { isAllowed: async () => false });
    expect(await readingOf()).toMatchObject({ error: "CALENDAR_NOT_ALLOWED", failures: 1 });
  });
});
