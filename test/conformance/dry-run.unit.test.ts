import { beforeEach, describe, expect, test } from "@jest/globals";
import { paramsCheck } from "../../mixins/actions/check-params.ts";
import { asError } from "../../mixins/actions/contract-action.ts";
import { newWriteId } from "../../mixins/mongo/write-id.ts";
import { requestHandler } from "../../services/api/request-handler.ts";
import type { Route } from "../../services/api/route.ts";
import {
  draftAnnouncementId,
  type DraftChange,
  DRAFTED_WRITES,
  draftEventId,
} from "../../services/contracts/draft-changes.contract.ts";
import { isRefusal, refuse } from "../../services/contracts/errors.ts";
import { diffPlan, type PlanDiffParams } from "../../services/contracts/plan-diff.contract.ts";
import { diffPlanOf } from "../../services/dispatch/queries/diff-plan.ts";
import { MemoryGuild } from "../doubles/memory-guild.ts";
import { postRequest, responsesOf } from "../harness/web-service.ts";

const HOUR = 3_600_000;
const START = Date.UTC(2030, 2, 2, 6);
const event_id = draftEventId(900);
const id = draftAnnouncementId(901);
const calendar_number = 1;
const event = { calendar_number, name: "Raid", epoch_start: START, epoch_end: START + HOUR };
const announcement = { channel: "7", type: "UNIVERSAL", hours: 1, minutes: 0, info: "" };
const byMonday = { frequency: "WEEKLY", by_day: ["MO"], count: -1 };

/** Each write with the posts that it affects, and changes of its fields that are refused. */
const WRITES: readonly (readonly [path: string, fields: object, posts: readonly object[], bad: readonly object[]])[] = [
  [
    "/v2/events/create",
    event,
    [{ effect: "APPEARS", event_id: draftEventId(0) }],
    [{ recur: true }, { calendar_number: 2 }, { epoch_end: 1 }, { recur: true, recurrence: byMonday }],
  ],
  [
    "/v2/events/update",
    { calendar_number, event_id, epoch_end: START + 9 * HOUR },
    [{ effect: "CHANGES" }],
    [{ color: "PINK" }, { event_id: "none" }, { epoch_end: 5 }],
  ],
  [
    "/v2/events/delete",
    { calendar_number, event_id },
    [{ effect: "VANISHES" }],
    [{ event_id: "none" }, { scope: "x" }],
  ],
  [
    "/v1/announcement/create",
    announcement,
    [{ effect: "APPEARS", announcement_id: draftAnnouncementId(0) }],
    [{ type: "SPECIFIC", event_id: "none" }, { hours: -1 }, { type: "COLOR" }],
  ],
  ["/v1/announcement/update", { id, minutes: 30 }, [{ effect: "MOVES" }], [{ id: "none" }, { type: "RECUR" }]],
  ["/v1/announcement/delete", { id }, [{ effect: "VANISHES" }], [{ id: "none" }]],
  ["/v1/guild/settings/update", { lang: "SPANISH" }, [{ effect: "CHANGES" }], [{ max_calendars: 0 }, { lang: "x" }]],
  ["/v2/guild/settings/update", { twelve_hour: false }, [{ effect: "CHANGES" }], [{ prefix: " " }]],
  ["/v2/calendar/update", { calendar_number, name: "Raids" }, [], [{ timezone: "Mars" }, { calendar_number: 3 }]],
];

describe("a dry run (D64)", () => {
  let guild: MemoryGuild;

  beforeEach(async () => {
    guild = new MemoryGuild();
    guild.now = START - 30 * HOUR;
    const times = { startsAt: START, endsAt: START + HOUR };
    await guild.write({ action: "CREATE_EVENT", calendarNumber: 1, name: "Raid", ...times }, 900);
    await guild.write(
      { action: "CREATE_ANNOUNCEMENT", channel: "7", type: "UNIVERSAL", hours: 1, minutes: 0, info: "" },
      901,
    );
  });

  /** The action of a route, on the guild in memory. */
  async function call({ contract }: Route, params: unknown): Promise<unknown> {
    if (contract.name === diffPlan.name) {
      const problems = paramsCheck(diffPlan)(params as object);
      if (problems.length > 0) return refuse("INVALID_REQUEST", problems);
      const ports = {
        owners: guild.owners(),
        store: { postsForPlan: async () => [], postsOfPairs: async () => [] },
        sinks: ["log"] as const,
        graceMs: HOUR / 4,
        guildName: async () => "Guild",
      };
      return diffPlanOf(ports, params as PlanDiffParams, guild.now, true);
    }
    const action = Object.entries(DRAFTED_WRITES).find(([, { name }]) => name === contract.name)![0];
    const { guildId: _, ...fields } = params as Record<string, unknown>;
    return guild.write({ action, ...fields } as DraftChange, 5);
  }

  async function send(path: string, fields: object, headers: Record<string, string> = {}) {
    const operator = { keyId: "k", kind: "operator", access: "write", guilds: [] } as const;
    const admitted = { caller: operator, standings: [] };
    const handler = requestHandler({
      knownPaths: [],
      runIdempotently: (_request, perform) => perform(newWriteId()),
      admission: { admit: async () => admitted, admitToGuild: () => admitted },
      clock: { now: () => 0 },
      call: async (route, params) => {
        const outcome = await call(route, params);
        if (isRefusal(outcome)) throw asError(outcome);
        return outcome;
      },
      onDefect: (error) => {
        throw error;
      },
    });
    const request = postRequest(path, { guild_id: "1", ...fields });
    Object.assign(request.headers, headers);
    const { status, body } = await responsesOf(handler)(request, "id-1");
    return { status, body: JSON.parse(body as string) as Record<string, unknown> };
  }

  const stateOf = () => JSON.stringify([[...guild.rows.events], [...guild.announcements], guild.settings]);

  test.each(WRITES)("of %s has the posts that the write affects, and stores nothing", async (path, fields, posts) => {
    const before = stateOf();
    const { status, body } = await send(path, { ...fields, dry_run: true });
    expect([status, body["posts"]]).toEqual([200, posts.map((each) => expect.objectContaining(each))]);
    expect(stateOf()).toBe(before);
  });

  test.each(WRITES)("of %s is refused as the write is", async (path, fields, _posts, bad) => {
    for (const change of bad) {
      const dry = await send(path, { ...fields, ...change, dry_run: true });
      expect(dry.status).toBeGreaterThanOrEqual(400);
      expect(dry).toEqual(await send(path, { ...fields, ...change }));
    }
  });

  test.each(WRITES.filter(([path]) => !path.endsWith("/create")))(
    "of %s is refused with 412 for another revision than that of If-Match",
    async (path, fields) => {
      const { status, body } = await send(path, { ...fields, dry_run: true }, { "if-match": '"999"' });
      expect([status, body["code"]]).toEqual([412, "REVISION_MISMATCH"]);
    },
  );
});
