import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyOccurrence } from "../../../../test/conformance/any-plan-input.ts";
import { HOUR, MINUTE, NOON, sampleOccurrence, samplePlanInput } from "../../../../test/fixtures/dispatch-samples.ts";
import type { GuildId } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import { planPosts } from "../plan/plan-posts.ts";
import { NOTIFICATION_SINK } from "../post/sink-name.ts";
import { notificationContent, notificationRule, notificationRules, renderNotification } from "./notification-rule.ts";

const guildId = "1" as GuildId;
const STARTED = "occurrence.started";
const ENDED = "occurrence.ended";

function notificationsOf(occurrences: readonly Occurrence[], since: number, now = NOON) {
  const announcements = notificationRules({ guildId, since: { [STARTED]: since, [ENDED]: since } });
  const input = samplePlanInput({
    announcements,
    occurrences,
    now,
    sinks: [NOTIFICATION_SINK],
    graceMs: HOUR,
    start: { at: now - HOUR, announcementId: "", occurrenceId: "" },
  });
  return planPosts(input).inserts;
}

const dueOf = (occurrences: readonly Occurrence[], since = 0, now = NOON) =>
  notificationsOf(occurrences, since, now)
    .filter(({ state }) => state === "planned")
    .map(({ announcementId, occurrenceId, dueAt }) => `${announcementId} ${occurrenceId} ${dueAt}`)
    .toSorted();

describe("the notifications of a guild (D59)", () => {
  test("are due at the start and the end of every occurrence that had its times before, and since the webhook has the type", () => {
    const states = fc.uniqueArray(anyOccurrence, { selector: ({ occurrenceId }) => occurrenceId, maxLength: 4 });
    const minutes = fc.integer({ min: -80, max: 30 }).map((value) => NOON + value * MINUTE);
    fc.assert(
      fc.property(states, minutes, minutes, (occurrences, since, now) => {
        const expected = occurrences.flatMap(({ occurrenceId, startsAt, endsAt, scheduledAt, endSetAt = 0 }) => [
          ...(scheduledAt < startsAt ? [[STARTED, occurrenceId, startsAt] as const] : []),
          ...(Math.max(scheduledAt, endSetAt) < endsAt ? [[ENDED, occurrenceId, endsAt] as const] : []),
        ]);
        const due = expected.filter(([, , at]) => at >= since && at >= now - HOUR && at < now + 48 * HOUR);
        expect(dueOf(occurrences, since, now)).toEqual(due.map((each) => each.join(" ")).toSorted());
      }),
    );
  });

  test("may be an hour late, also that of the start of an event that is over", () => {
    const event = sampleOccurrence({ startsAt: NOON, endsAt: NOON });
    const deadlines = notificationsOf([event], 0).map(({ dueAt, deadline }) => deadline - dueAt);
    expect(deadlines).toEqual([HOUR, HOUR]);
  });

  test("are those of the types that a webhook of the guild has, for each from its own time", () => {
    const rules = notificationRules({ guildId, since: { [ENDED]: 7 } });
    expect(rules).toMatchObject([{ id: ENDED, standsSince: 7, offsets: [{ anchor: "END", minutes: 0 }] }]);
    expect(notificationRules({ guildId, since: {} })).toEqual([]);
  });

  test("have the occurrence as it is, and its instant", () => {
    const occurrence = sampleOccurrence({ startsAt: NOON, name: "Raid night" });
    const content = (type: typeof STARTED | typeof ENDED) => {
      const [message] = renderNotification({ announcement: notificationRule(guildId, type, 0), occurrence });
      return notificationContent(message!);
    };
    expect(content(STARTED)).toMatchObject({ type: STARTED, occurredAt: NOON, occurrence: { name: "Raid night" } });
    expect(content(ENDED)).toMatchObject({ type: ENDED, occurredAt: NOON + HOUR });
    expect(content(ENDED).occurrence).not.toHaveProperty("scheduledAt");
  });
});
