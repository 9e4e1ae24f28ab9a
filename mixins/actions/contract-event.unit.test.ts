import { describe, expect, test } from "@jest/globals";
import * as announcements from "../../services/contracts/announcements.contract.ts";
import * as apiKeys from "../../services/contracts/api-keys.contract.ts";
import * as calendarEvents from "../../services/contracts/calendar-events.contract.ts";
import * as calendars from "../../services/contracts/calendars.contract.ts";
import type { EventContract } from "../../services/contracts/contract.ts";
import * as postOutcomes from "../../services/contracts/post-outcomes.contract.ts";
import * as guildSettings from "../../services/contracts/guild-settings.contract.ts";
import { ratesUsed } from "../../services/api/rates/gateway-rates.ts";
import { currentDeadline, currentOrigin, currentWriteId, runInWriteContext } from "../mongo/write-context.ts";
import { newWriteId } from "../mongo/write-id.ts";
import { paramsCheck } from "./check-params.ts";
import { listen } from "./contract-event.ts";

const exported = [announcements, apiKeys, calendarEvents, calendars, guildSettings, postOutcomes].flatMap(
  (module) => Object.values(module) as unknown[],
);
const contracts = [
  ...exported.filter((each): each is EventContract<object> => Object(each) === each && "payload" in (each as object)),
  ratesUsed as EventContract<object>,
];

const guildId = "375357265198317579";
const revision = 7;
const announcementId = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
const eventId = `e${"0".repeat(25)}`;
const outcome = { guildId, announcementId, eventId, startsAt: 2, dueAt: 1, channel: "7", state: "sent", settledAt: 3 };
/** A valid payload of each event. */
const PAYLOADS: Readonly<Record<string, object>> = {
  "announcement.changed": { guildId, id: announcementId, revision },
  "api-key.changed": { id: "0123456789abcdef0123" },
  "calendar-event.changed": { guildId, eventId, revision },
  "calendar.changed": { guildId, calendarNumber: 1, revision },
  "guild-settings.changed": { guildId, revision },
  "announcement.posted": { ...outcome, lateMs: 12, messageId: "m" },
  "announcement.missed": { ...outcome, state: "missed", reason: "the service was down" },
  "announcement.failed": { ...outcome, state: "failed", eventId: `${eventId}_20260101T000000Z` },
  "api.rates-used": { from: "x".repeat(36), reports: { key: [{ of: "k", window: 1, amount: 2 }], failures: [] } },
};
/** Invalid values for each field. */
const WRONG = [{ $gt: "" }, { $ne: null }, ["7"], null, "x".repeat(5_000), Number.NaN, 1n, true];

describe("an event", () => {
  test("every event contract has a payload in this test", () => {
    expect(contracts.map(({ name }) => name).toSorted()).toEqual(Object.keys(PAYLOADS).toSorted());
  });

  test.each(contracts.map((contract) => [contract.name, contract] as const))(
    "%s is accepted as it is sent, and dropped with an unknown or invalid field",
    (name, contract) => {
      const payload = PAYLOADS[name] as Readonly<Record<string, unknown>>;
      const check = paramsCheck({ params: contract.payload });
      expect(check(payload)).toEqual([]);
      for (const field of Object.keys(payload)) {
        for (const value of WRONG)
          expect([field, value, check({ ...payload, [field]: value }).length]).not.toContain(0);
        const { [field]: _, ...without } = payload;
        const isOptional = ["lateMs", "messageId", "reason"].includes(field);
        expect([field, check(without).length > 0]).toEqual([field, !isOptional]);
      }
      expect(check({ ...payload, $where: "1" })).not.toEqual([]);
    },
  );

  test.each([[undefined], [null], ["text"], [[guildId]], [{ guildId: { $gt: "" }, revision }]])(
    "with the payload %j never reaches its listener, and is logged without its values",
    (params) => {
      const received: unknown[] = [];
      const lines: unknown[] = [];
      const { name } = guildSettings.guildSettingsChanged;
      const listener = listen(guildSettings.guildSettingsChanged, (payload) => received.push(payload))[name];
      const broker = { getLogger: () => ({ warn: (...line: unknown[]) => lines.push(line) }) };
      const context = (payload: unknown) => ({ params: payload, nodeID: "x.y", broker }) as never;
      for (let times = 0; times < 3; times += 1) listener?.(context(params));
      expect([received, lines.length]).toEqual([[], 1]);
      expect(JSON.stringify(lines)).not.toContain("$gt");
      listener?.(context({ guildId, revision }));
      expect(received).toEqual([{ guildId, revision }]);
    },
  );

  test("is handled outside of the write that is broadcast, and so is what its handler starts", async () => {
    const writes: unknown[] = [];
    const note = () => writes.push([currentDeadline(), currentWriteId(), currentOrigin()]);
    const { name } = guildSettings.guildSettingsChanged;
    const { promise: later, resolve } = Promise.withResolvers<void>();
    const listener = listen(guildSettings.guildSettingsChanged, () => {
      note();
      setImmediate(() => resolve(void note()));
    })[name];
    const write = { deadline: 1, id: newWriteId(), origin: { requestId: "r" } };
    runInWriteContext(write, () => listener?.({ params: { guildId, revision } } as never));
    await later;
    const none = [undefined, undefined, undefined];
    expect(writes).toEqual([none, none]);
  });
});
