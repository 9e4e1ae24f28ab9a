import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  type AnyChange,
  anyDrafts,
  anyGuild,
  DRAFTS_NOW,
  type KnownIds,
} from "../../../test/conformance/any-drafts.ts";
import {
  diffOf,
  digestsOf,
  guildBefore,
  knownIds,
  planned,
  type PlannedState,
  stateOf,
} from "../../../test/conformance/memory-plans.ts";
import { occurrenceId as idOfOccurrence } from "../../calendar-events/domain/event/occurrence-id.ts";
import { dateOfDigest } from "../../contracts/announcement-digests.ts";
import { draftAnnouncementId, type DraftChange, draftEventId } from "../../contracts/draft-changes.contract.ts";
import { isRefusal } from "../../contracts/errors.ts";
import type { PlanDiff } from "../../contracts/plan-diff.contract.ts";
import { renderAnnouncement } from "../domain/message/announcement-message.ts";
import { formerIds } from "../domain/plan/former-ids.ts";
import { isOpen, offsetText, type Post } from "../domain/post/post.ts";
import { COMPARED_MS } from "./diff-plan.ts";

/** Random drafts in one run: `DRAFTS=10000` for a long one. */
const RUNS = Number(process.env["DRAFTS"] ?? 200);
const HOUR = 3_600_000;

function messageOf({ occurrences, settings, announcements }: PlannedState): (post: Post) => string {
  const byId = new Map(occurrences.map((each) => [each.occurrenceId, each]));
  return ({ announcementId, occurrenceId, offset }) => {
    const [announcement, occurrence] = [announcements.get(announcementId), byId.get(occurrenceId)];
    return announcement === undefined || occurrence === undefined
      ? ""
      : JSON.stringify(renderAnnouncement({ announcement, occurrence, settings, offset }));
  };
}

/** Every difference between two plans, as a line of text. */
function expected(
  [before, rowsBefore]: readonly [PlannedState, readonly Post[]],
  [after, rowsAfter]: readonly [PlannedState, readonly Post[]],
): string[] {
  const known = new Set(before.occurrences.map(({ occurrenceId }) => occurrenceId));
  const remaining = new Set(after.occurrences.map(({ occurrenceId }) => occurrenceId));
  const split = after.occurrences.filter(({ occurrenceId }) => !known.has(occurrenceId));
  const present = new Map(
    split.flatMap((each) =>
      formerIds(each)
        .filter((id) => !remaining.has(id))
        .map((id) => [id, each.occurrenceId]),
    ),
  );
  const keyOf = (post: Post) =>
    [post.announcementId, present.get(post.occurrenceId) ?? post.occurrenceId, offsetText(post.offset)].join(" ");
  const isPlanned = (row: Post) => isOpen(row) && row.skipReason === undefined;
  const openBy = (rows: readonly Post[]) => new Map(rows.filter(isPlanned).map((row) => [keyOf(row), row]));
  const [old, next] = [openBy(rowsBefore), openBy(rowsAfter)];
  const [oldMessage, nextMessage] = [messageOf(before), messageOf(after)];
  return [...new Set([...old.keys(), ...next.keys()])]
    .flatMap((key) => {
      const [was, is] = [old.get(key), next.get(key)];
      if (was === undefined) return is === undefined ? [] : [line("APPEARS", is)];
      if (is === undefined) return [line("VANISHES", was)];
      if (was.dueAt !== is.dueAt || was.startsAt !== is.startsAt) return [line("MOVES", is)];
      const isSame = was.channel === is.channel && was.deadline === is.deadline && oldMessage(was) === nextMessage(is);
      return isSame ? [] : [line("CHANGES", is)];
    })
    .toSorted();
}

function line(
  effect: string,
  {
    announcementId,
    occurrenceId,
    startsAt,
    dueAt,
    channel,
  }: Pick<Post, "announcementId" | "occurrenceId" | "startsAt" | "dueAt" | "channel">,
): string {
  return [effect, announcementId, occurrenceId, startsAt, dueAt, channel].join(" ");
}

function linesOf({ posts }: PlanDiff): string[] {
  return posts.map((post) => line(post.effect, { ...post, occurrenceId: post.eventId as never })).toSorted();
}

function concrete(drafts: readonly AnyChange[], known: KnownIds): DraftChange[] {
  const events = [...known.events];
  const announcements = [...known.announcements];
  return drafts.map((draft, at) => {
    const change = draft({ events, announcements });
    if (change.action === "CREATE_EVENT" || (change.action === "UPDATE_EVENT" && change.scope === "following")) {
      events.push(draftEventId(at));
    }
    if (change.action === "CREATE_ANNOUNCEMENT") announcements.push(draftAnnouncementId(at));
    return change;
  });
}

describe("the diff of a plan", () => {
  test(
    "is what the plan does when the drafts are stored, or the refusal of the first draft that is refused",
    async () => {
      let refused = 0;
      const effects = new Map<string, number>();
      const created = fc.constantFrom(0, HOUR / 2, 240 * HOUR);
      await fc.assert(
        fc.asyncProperty(anyGuild, anyDrafts, created, async function compare(setup, drafts, createdMs): Promise<void> {
          const { guild, rows } = await guildBefore(setup, createdMs);
          const changes = concrete(drafts, await knownIds(guild));
          const through = guild.now + COMPARED_MS;
          const diff = await diffOf(guild, rows, changes);
          const before = await stateOf(guild, through);
          const stored = guild.copiedRows;
          const digestsBefore = digestsOf(guild, before.rules, stored);
          for (const [at, change] of changes.entries()) {
            const refusal = await guild.write(change, at);
            if (refusal === undefined) continue;
            refused += 1;
            expect(diff).toMatchObject({
              refusal: refusal.refusal,
              message: expect.stringContaining(`changes[${at}]: `),
            });
            await compare(setup, drafts.toSpliced(at, 1), createdMs);
            return;
          }
          if (isRefusal(diff)) throw new Error(`refused: ${diff.message}`);
          const rowsBefore = planned(guild, before, through, rows);
          const after = await stateOf(guild, through);
          const rowsAfter = planned(guild, after, through, rowsBefore);
          const digestIds = new Set(
            [...rowsBefore, ...rowsAfter].map(({ occurrenceId }) => occurrenceId).filter((id) => dateOfDigest(id)),
          );
          const digestsAfter = digestsOf(guild, after.rules, stored);
          const wasShown = { ...before, occurrences: [...before.occurrences, ...(await digestsBefore(digestIds))] };
          const isShown = { ...after, occurrences: [...after.occurrences, ...(await digestsAfter(digestIds))] };
          expect(linesOf(diff)).toEqual(expected([wasShown, rowsBefore], [isShown, rowsAfter]));
          expect(diff).toMatchObject({ comparedUntil: through, more: false });
          for (const { effect } of diff.posts) effects.set(effect, (effects.get(effect) ?? 0) + 1);
        }),
        { numRuns: RUNS, ...(process.env["SEED"] === undefined ? {} : { seed: Number(process.env["SEED"]) }) },
      );
      // The drafts are random: none of the cases may be missing.
      expect(refused).toBeGreaterThan(RUNS / 100);
      expect([...effects.keys()].toSorted()).toEqual(["APPEARS", "CHANGES", "MOVES", "VANISHES"]);
    },
    60_000 + RUNS * 1_000,
  );

  test("has a post of a moved event that is due at the same time with the same message, and counts no change", async () => {
    const startsAt = DRAFTS_NOW + 24 * HOUR;
    const event = { action: "CREATE_EVENT", calendarNumber: 1, startsAt, endsAt: startsAt + 4 * HOUR };
    const texts = { info: "Bring snacks", infoOnly: true };
    const rule = { action: "CREATE_ANNOUNCEMENT", channel: "7", type: "UNIVERSAL", hours: 1, minutes: 0, ...texts };
    const { guild, rows } = await guildBefore(
      [event, rule].map((change) => () => change as DraftChange),
      HOUR,
    );
    const { announcements, events } = await knownIds(guild);
    const times = { startsAt: startsAt + HOUR, endsAt: startsAt + 5 * HOUR };
    const changes = [
      { action: "UPDATE_EVENT", calendarNumber: 1, eventId: events[0], ...times },
      { action: "UPDATE_ANNOUNCEMENT", id: announcements[0], hours: 2 },
    ];
    const diff = (await diffOf(guild, rows, changes as DraftChange[])) as PlanDiff;
    expect(diff).toMatchObject({ move: 1, change: 0, posts: [{ effect: "MOVES", startsAt: startsAt + HOUR }] });
  });

  test("has the posts by offsets from the end and the creation, each with its offset (D54)", async () => {
    const startsAt = DRAFTS_NOW + 24 * HOUR;
    const event = { action: "CREATE_EVENT", calendarNumber: 1, startsAt, endsAt: startsAt + HOUR };
    const offsets = [
      { anchor: "START", minutes: -60 },
      { anchor: "END", minutes: 30 },
      { anchor: "CREATED", minutes: 90 },
    ];
    const rule = { action: "CREATE_ANNOUNCEMENT", channel: "7", type: "UNIVERSAL", offsets, info: "" };
    const { guild, rows } = await guildBefore(
      [event, rule].map((change) => () => change as unknown as DraftChange),
      HOUR,
    );
    const [eventId] = (await knownIds(guild)).events;
    const longer = { action: "UPDATE_EVENT", calendarNumber: 1, eventId, startsAt, endsAt: startsAt + 2 * HOUR };
    const one = { action: "CREATE_EVENT", calendarNumber: 1, startsAt: startsAt + HOUR, endsAt: startsAt + 3 * HOUR };
    const diff = (await diffOf(guild, rows, [longer, one] as unknown as DraftChange[])) as PlanDiff;
    expect(diff.posts).toMatchObject([
      { effect: "CHANGES", anchor: "CREATED", offsetMinutes: 90, dueAt: DRAFTS_NOW + HOUR / 2 },
      { effect: "APPEARS", anchor: "CREATED", offsetMinutes: 90, dueAt: DRAFTS_NOW + 1.5 * HOUR },
      { effect: "CHANGES", anchor: "START", offsetMinutes: -60, dueAt: startsAt - HOUR },
      { effect: "APPEARS", anchor: "START", offsetMinutes: -60, dueAt: startsAt },
      {
        effect: "MOVES",
        anchor: "END",
        dueAt: startsAt + 2.5 * HOUR,
        reason: "the event ends at another time",
        before: { anchor: "END", offsetMinutes: 30, dueAt: startsAt + 1.5 * HOUR },
      },
      { effect: "APPEARS", anchor: "END", offsetMinutes: 30, dueAt: startsAt + 3.5 * HOUR },
    ]);
  });

  test("of a pause has the posts that it skips, with the reason, and those of an ended pause appear (D62)", async () => {
    const startsAt = DRAFTS_NOW + 24 * HOUR;
    const times = { calendarNumber: 1, startsAt, endsAt: startsAt };
    const recurrence = { frequency: "DAILY", count: 4 } as const;
    const series = { action: "CREATE_EVENT", ...times, recurs: true, recurrence };
    const rule = { action: "CREATE_ANNOUNCEMENT", channel: "7", type: "UNIVERSAL", hours: 0, minutes: 0, info: "" };
    const { guild, rows } = await guildBefore(
      [series, rule].map((change) => () => change as DraftChange),
      HOUR,
    );
    const { announcements, events } = await knownIds(guild);
    const until = startsAt + 25 * HOUR;
    const pausedBy = {
      guild: { action: "UPDATE_SETTINGS", pausedUntil: until },
      calendar: { action: "UPDATE_CALENDAR", calendarNumber: 1, pausedUntil: until },
      event: { action: "UPDATE_EVENT", calendarNumber: 1, eventId: events[0], pausedUntil: until },
      announcement: { action: "UPDATE_ANNOUNCEMENT", id: announcements[0], pausedUntil: until },
    };
    for (const [of, change] of Object.entries(pausedBy)) {
      const reason = `paused until 2030-03-03T13:00:00Z (${of})`;
      const paused = await diffOf(guild, rows, [change as DraftChange]);
      expect(paused).toMatchObject({
        vanish: 2,
        appear: 0,
        move: 0,
        change: 0,
        posts: [
          { effect: "VANISHES", startsAt, reason },
          { effect: "VANISHES", startsAt: startsAt + 24 * HOUR, reason },
        ],
      });
      const ended = { ...change, pausedUntil: null };
      await expect(diffOf(guild, rows, [change, ended] as DraftChange[])).resolves.toMatchObject({
        vanish: 0,
        appear: 0,
      });
    }
    await guild.write(pausedBy.guild as DraftChange, 0);
    const shortened = { ...pausedBy.guild, pausedUntil: startsAt + 1 } as DraftChange;
    await expect(diffOf(guild, rows, [shortened])).resolves.toMatchObject({
      posts: [
        {
          effect: "APPEARS",
          startsAt: startsAt + 24 * HOUR,
          reason: "no longer paused until 2030-03-03T13:00:00Z (guild)",
        },
      ],
      more: false,
    });
  });

  test("of a split series has no post whose occurrence was changed before the split, or stays in its place after it", async () => {
    const startsAt = DRAFTS_NOW + 24 * HOUR;
    const week = 7 * 24 * HOUR;
    const recurrence = { frequency: "WEEKLY", count: 6 } as const;
    const series = { action: "CREATE_EVENT", calendarNumber: 1, startsAt, endsAt: startsAt, recurs: true, recurrence };
    const rule = { action: "CREATE_ANNOUNCEMENT", channel: "7", type: "UNIVERSAL", hours: 0, minutes: 0, info: "" };
    const idOf = (weeks: number) => idOfOccurrence(draftEventId(100), startsAt + weeks * week);
    const update = { action: "UPDATE_EVENT", calendarNumber: 1 };
    const rename = { ...update, eventId: idOf(1), name: "Renamed" };
    const move = {
      ...update,
      eventId: idOf(4),
      startsAt: startsAt + 4 * week + HOUR,
      endsAt: startsAt + 4 * week + HOUR,
    };
    const { guild, rows } = await guildBefore(
      [series, rule, rename, move].map((change) => () => change as DraftChange),
      HOUR,
    );
    const split = { ...update, eventId: idOf(3), scope: "following", color: "RED" } as DraftChange;
    const diff = (await diffOf(guild, rows, [split])) as PlanDiff;
    expect(linesOf(diff).map((text) => text.split(" ").slice(0, 1).join())).toEqual(["CHANGES", "CHANGES", "CHANGES"]);
    expect(diff.posts.map((post) => [post.startsAt, post.before?.eventId])).toEqual([
      [startsAt + 3 * week, idOf(3)],
      [startsAt + 4 * week + HOUR, idOf(4)],
      [startsAt + 5 * week, idOf(5)],
    ]);
  });
});
