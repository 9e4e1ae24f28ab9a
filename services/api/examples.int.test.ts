import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { serve } from "../../mixins/actions/contract-action.ts";
import { WEBHOOKS_KEY } from "../../test/harness/webhooks-key.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../../test/harness/test-gateway.ts";
import { announcementsService } from "../announcements/announcements.service.ts";
import { calendarEventsService } from "../calendar-events/calendar-events.service.ts";
import {
  listPostHistory,
  listUpcomingPosts,
  type NotPlanned,
  type PostProblem,
  previewPost,
  type SettledPost,
  type UpcomingPost,
} from "../contracts/dispatch.contract.ts";
import type { EventId } from "../contracts/ids.ts";
import { listSettledPosts } from "../contracts/guild-changes.contract.ts";
import { listMissedNotifications, type MissedNotification } from "../contracts/occurrence-notifications.contract.ts";
import { diffPlan, previewDrafts } from "../contracts/plan-diff.contract.ts";
import { draftOwners } from "../dispatch/adapters/draft-owners.ts";
import { ownerServices } from "../dispatch/adapters/owner-services.ts";
import { COMPARED_MS, diffPlanOf } from "../dispatch/queries/diff-plan.ts";
import { renderDraftPreviews } from "../dispatch/queries/preview-drafts.ts";
import { renderPreview } from "../dispatch/queries/preview.ts";
import { guildSettingsService } from "../guild-settings/guild-settings.service.ts";
import { webhooksService } from "../webhooks/webhooks.service.ts";
import { ROUTES } from "./route-table.ts";
import { changesExample } from "./v2/changes.routes.ts";
import { planExamples } from "./v2/plan.examples.ts";
import { missedExample } from "./v2/webhooks.routes.ts";
import { announcementExamples, danglingExample } from "./v1/announcement.examples.ts";
import { eventExamples } from "./v2/events.examples.ts";

const current = eventExamples.ongoing.response.events[0]!;
const { problem } = announcementExamples.preview.response;
const { id: danglingId, ...dangling } = danglingExample;

/** The ledger of dispatch without any row. */
const NO_POSTS = { postsForPlan: async () => [], postsOfPairs: async () => [] };

describe("the examples of the API document", () => {
  let gateway: TestGateway;
  /** Value in the examples → value in this run. */
  const names = new Map<string, string>();

  /** The JSON of an example with the values of this run. */
  function ofThisRun(value: object): string {
    let text = JSON.stringify(value);
    // The longest first: the text of a key contains its id.
    const longestFirst = [...names].toSorted(([one], [other]) => other.length - one.length);
    for (const [example, name] of longestFirst) text = text.replaceAll(example, name);
    return text;
  }

  /** Ids, keys and times of creation differ in each run. */
  function learn(expected: object, actual: object): void {
    const pairs = Object.entries(expected).map(([wire, value]) => [wire, value, (actual as never)[wire]] as const);
    for (const [wire, example, name] of pairs) {
      if (
        ["id", "key", "path", "created", "at", "by", "previous_until", "changed", "sync_token", "secret"]
          .concat(["followed", "next_read"])
          .includes(wire) &&
        name !== 0
      )
        names.set(String(example), String(name));
    }
    for (const list of ["keys", "changes", "feeds", "webhooks"]) {
      const [things, found] = [expected, actual].map((each) => (each as Record<string, object[]>)[list] ?? []);
      for (const [at, thing] of things!.entries()) learn(thing, found![at] ?? {});
    }
  }

  /** The posts of an example, in place of dispatch: the event of the example is years ahead of any plan. */
  function postsOf({ response }: typeof announcementExamples.history | typeof announcementExamples.upcoming) {
    const posts = JSON.parse(ofThisRun(response.posts)) as Record<string, never>[];
    return posts.map((post): SettledPost & UpcomingPost => ({
      dueAt: post["due"]!,
      announcementId: post["announcement_id"]!,
      eventId: post["event_id"]!,
      startsAt: post["epoch_start"]!,
      channel: post["channel"]!,
      state: post["state"]!,
      settledAt: post["settled"]!,
      lateMs: post["late_ms"]!,
      reason: post["reason"]!,
      reasonCode: post["reason_code"]!,
      attempts: post["attempts"]!,
      inDoubtSince: post["in_doubt_since"]!,
      leaseUntil: post["lease_until"]!,
      nextTryAt: post["next_try"]!,
      computed: post["computed"]!,
      messageId: post["message_id"]!,
      problem: post["problem"]!,
    }));
  }

  /** The missed notifications of the example, in place of dispatch. */
  function missedNotifications(): MissedNotification[] {
    return missedExample.missed.map((missed) => ({
      type: missed.type,
      eventId: missed.event_id as EventId,
      occurredAt: missed.occurred_at,
      state: missed.state,
      settledAt: missed.settled,
      reason: missed.reason,
      reasonCode: missed.reason_code,
    }));
  }

  /** Creates the announcement whose event is deleted, before all others. */
  async function makeDangling(): Promise<void> {
    const { guild_id, calendar_number } = eventExamples.ongoing.request;
    const times = { epoch_start: current.epoch_start, epoch_end: current.epoch_end };
    const event = await gateway.post("/v2/events/create", { guild_id, calendar_number, name: "Gone", ...times });
    const { dangling: _, event_id: gone, ...rule } = dangling;
    const event_id = String(event.body["id"]);
    const { body } = await gateway.post("/v1/announcement/create", { guild_id, ...rule, event_id });
    await gateway.post("/v2/events/delete", { guild_id, calendar_number, event_id });
    names.set(gone, event_id).set(danglingId, String(body["id"]));
  }

  beforeAll(async () => {
    const channels = { currentProblem: async () => problem as PostProblem, guildName: async () => undefined };
    const { code, message, due_from } = announcementExamples.upcoming.response.not_planned;
    const notPlanned = { code: code as NotPlanned["code"], message, dueFrom: due_from };
    const dispatch = standIn("dispatch", {
      ...serve(listUpcomingPosts, async () => ({ posts: postsOf(announcementExamples.upcoming), notPlanned })),
      ...serve(listPostHistory, async () => postsOf(announcementExamples.history)),
      ...serve(listSettledPosts, async () => ({ delivered: [], changed: [], settledUntil: 0, more: false })),
      ...serve(listMissedNotifications, async () => ({ entries: missedNotifications() })),
      ...serve(previewPost, (params, { broker }) =>
        renderPreview(ownerServices(broker), channels, params, current.epoch_start),
      ),
      ...serve(diffPlan, (params, { broker }) =>
        diffPlanOf(
          { ...channels, owners: draftOwners(broker), store: NO_POSTS, sinks: ["log"], graceMs: 0 },
          params,
          planExamples.diff.response.compared_until - COMPARED_MS,
          false,
        ),
      ),
      ...serve(previewDrafts, (params, { broker }) =>
        renderDraftPreviews(
          draftOwners(broker),
          { ...channels, currentProblem: async () => undefined },
          params,
          current.epoch_start,
          false,
        ),
      ),
    });
    gateway = await startTestGateway((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      announcementsService({ mongoUrl }),
      // The address of the example is never resolved, so that its first read does not end.
      calendarEventsService({
        mongoUrl,
        now: () => current.epoch_start,
        follow: { allowPrivate: false, resolve: () => undefined },
      }),
      dispatch,
      webhooksService({ mongoUrl, key: WEBHOOKS_KEY, allowPrivate: false }),
    ]);
    await untilReady(gateway);
    const { is_parent: _, event_id, ...fields } = current;
    const { body } = await gateway.post("/v2/events/create", { ...eventExamples.ongoing.request, ...fields });
    names.set(event_id, String(body["id"]));
    await makeDangling();
    const { guild_id } = changesExample.request;
    await gateway.post("/v2/calendar/update", { guild_id, ...changesExample.response.changes[0]?.calendar });
  });
  afterAll(() => gateway.stop());

  test.each(ROUTES)("$paths.0 returns the response of its example, after the examples before it", async (route) => {
    const [path] = route.paths;
    const { example } = route;
    const { status, text, body } = await gateway.post(path, ofThisRun(example.request));
    learn(example.response, body);
    expect({ status, text }).toEqual({ status: 200, text: ofThisRun(example.response) });
  });

  test("an announcement whose event was deleted is marked as dangling in get and in list", async () => {
    const { guild_id } = announcementExamples.get.request;
    const request = { guild_id, id: names.get(danglingId) };
    const { status, text } = await gateway.post("/v1/announcement/get", request);
    expect({ status, text }).toEqual({ status: 200, text: ofThisRun(dangling) });
  });
});
