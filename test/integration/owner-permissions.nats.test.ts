import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { routeCalling } from "../../services/api/route-table.ts";
import type { Caller } from "../../services/contracts/contract.ts";
import { EVERY_ACTION } from "../../services/contracts/every-action.ts";
import { healthOf } from "../../services/contracts/health.contract.ts";
import { KEY_NAMES, type KeyName, KEYS, MAY } from "../harness/key-matrix.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { OWNERS } from "../../services/contracts/service-names.ts";
import { everyOwner } from "../harness/every-owner.ts";

const OWN = "375357265198317579";
const OTHER = "375357265198317580";

const contracts = new Map(EVERY_ACTION.map((contract) => [contract.name, contract] as const));

const fromTheBeginning = { mark: { at: 0, id: "" }, limit: 1 };
const firstOfGuild = { guildId: OWN, after: { at: 0, id: "", delivered: [] }, limit: 1 };

/** Params of the actions without a route. */
const noDrafts = { guildId: OWN, changes: [] };
const eventDrafts = { ...noDrafts, now: 1, maxCalendars: [1] };
const OF_NO_ROUTE: Readonly<Record<string, object>> = {
  "announcements.changesSince": fromTheBeginning,
  "calendar-events.changesSince": fromTheBeginning,
  "guild-settings.changesSince": fromTheBeginning,
  "announcements.countChanges": fromTheBeginning,
  "calendar-events.countChanges": fromTheBeginning,
  "guild-settings.countChanges": fromTheBeginning,
  "announcements.listChanged": firstOfGuild,
  "calendar-events.listChanged": firstOfGuild,
  "calendar-events.listChangedCalendars": firstOfGuild,
  "dispatch.listSettled": firstOfGuild,
  "guild-settings.listChanged": firstOfGuild,
  "webhooks.listChanged": firstOfGuild,
  "api.readEncodedChanges": { guildId: OWN, kinds: ["event"], limit: 1 },
  "api.encodeOccurrences": { occurrences: [] },
  "calendar-events.readDigest": {
    guildId: OWN,
    announcementId: "5d0e3a52-6f0e-4a7e-9d53-2f1c8b7a6e90",
    digest: { calendarNumber: 1, frequency: "DAILY", time: "08:00", days: 1 },
    date: "2030-01-07",
  },
  "webhooks.changesSince": fromTheBeginning,
  "webhooks.listOccurrenceSubscriptions": { guildIds: [OWN] },
  "webhooks.deliverOccurrence": {
    guildId: OWN,
    type: "occurrence.started",
    key: "k".repeat(24),
    occurredAt: 1,
    occurrence: {
      occurrenceId: `e${"0".repeat(25)}`,
      eventId: `e${"0".repeat(25)}`,
      calendarNumber: 1,
      startsAt: 1,
      endsAt: 1,
      color: "NONE",
      recurs: false,
    },
  },
  "announcements.listRules": { guildId: OWN },
  "announcements.listAnnouncingGuilds": { guildIds: [OWN] },
  "announcements.removeOfEvent": { guildId: OWN, eventId: "x" },
  "calendar-events.listExisting": { guildId: OWN, eventIds: ["x"] },
  "calendar-events.find": { guildId: OWN, eventId: "x" },
  "calendar-events.getOccurrence": { guildId: OWN, occurrenceId: "x" },
  "calendar-events.listOccurrencesStarting": { guildId: OWN, windows: [], limit: 1 },
  "calendar-events.importEvents": {
    guildId: OWN,
    calendarNumber: 1,
    importId: "01a1b2c3-d4e5-7f60-8a7b-9c0d1e2f3a4b",
    isLast: true,
    dryRun: true,
    events: [],
    ofSeries: [],
    zones: [],
  },
  "guild-settings.draft": { ...noDrafts, byOperator: false, now: 1 },
  "announcements.draft": { ...noDrafts, now: 1, references: [] },
  "calendar-events.draftOccurrences": {
    ...eventDrafts,
    references: [],
    window: { from: 0, until: 1 },
    windows: [],
    limit: 1,
  },
  "calendar-events.showDraftOccurrences": { ...eventDrafts, before: [], after: [] },
  "calendar-events.openFeed": { guildId: OWN, calendarNumber: 1 },
  "calendar-events.readFeedPage": { guildId: OWN, calendarNumber: 1, cursor: "x" },
  ...Object.fromEntries(OWNERS.map((name) => [healthOf(name).name, {}])),
};

/** Valid params of the action, for a guild. */
function paramsOf(action: string, guild: string): object {
  const list = routeCalling(action);
  const route = list?.contract.name === action ? list : list?.pages;
  const params = OF_NO_ROUTE[action] ?? (route?.toParams(route.decode(route.example.request)) as object);
  return "guildId" in params ? { ...params, guildId: guild } : params;
}

function callerOf(name: KeyName): Caller {
  const key = KEYS[name];
  return { keyId: name, ...key, guilds: key.kind === "guild" ? [OWN] : [] };
}

describe("the owner of an action, called over the bus (D3)", () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway(everyOwner);
  });
  afterAll(() => gateway.stop());

  async function isForbidden(action: string, guild: string, name: KeyName): Promise<boolean> {
    const call = gateway.broker.call(action, paramsOf(action, guild), { meta: { caller: callerOf(name) } });
    const outcome: unknown = await call.catch((error: unknown) => error);
    const { type } = Object(outcome) as { type?: unknown };
    expect([action, type]).not.toEqual([action, "INVALID_REQUEST"]);
    return type === "FORBIDDEN";
  }

  test("every action has a contract, and every contract has an action", () => {
    const served = gateway.broker.registry.actions.list({ skipInternal: true }).map(({ name }) => name);
    expect(served.toSorted()).toEqual([...contracts.keys()].toSorted());
  });

  test.each([...contracts])(
    "%s refuses the callers that its contract does not allow",
    async (action, { keys, params }) => {
      const guilds = "guildId" in params ? ([OWN, OTHER] as const) : ([OWN] as const);
      for (const guild of guilds) {
        const allowed = guild === OWN ? MAY[keys].own : MAY[keys].other;
        const forbidden: KeyName[] = [];
        for (const name of KEY_NAMES) if (await isForbidden(action, guild, name)) forbidden.push(name);
        expect(forbidden).toEqual(KEY_NAMES.filter((name) => !allowed.includes(name)));
      }
    },
  );
});
