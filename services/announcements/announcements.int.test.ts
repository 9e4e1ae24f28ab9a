import mongoose from "mongoose";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { serve } from "../../mixins/actions/contract-action.ts";
import { startTestServices, type TestServices } from "../../test/harness/test-services.ts";
import { until as untilHolds } from "../../test/harness/until.ts";
import {
  announcementChanged,
  type AnnouncementChanged,
  announcementsChangesSince,
  createAnnouncement,
  type CreateAnnouncementParams,
  getAnnouncement,
  listAnnouncements,
  MAX_ANNOUNCEMENTS,
  removeAnnouncement,
  removeAnnouncementsOfEvent,
  updateAnnouncement,
} from "../contracts/announcements.contract.ts";
import { listAnnouncementRules, listAnnouncingGuilds } from "../contracts/announcement-rules.contract.ts";
import { TOMBSTONE_DAYS } from "../contracts/change-feed.contract.ts";
import { type EventView } from "../contracts/calendar-events.contract.ts";
import { findEvent } from "../contracts/event-references.contract.ts";
import type { Caller } from "../contracts/contract.ts";
import type { EventId, GuildId } from "../contracts/ids.ts";
import { announcementsService } from "./announcements.service.ts";

const guildId = "375357265198317579" as GuildId;
const series = `e${"1".repeat(25)}` as EventId;

/** A calendar events service that has one series in every guild. */
const calendar = {
  name: "calendar-events",
  actions: serve(findEvent, async ({ eventId }) =>
    eventId === series ? ({ eventId: series, recurs: true } as EventView) : null,
  ),
};

function createParams(fields: Partial<CreateAnnouncementParams> = {}): CreateAnnouncementParams {
  return { guildId, channel: "12345", type: "UNIVERSAL", hours: 0, minutes: 5, info: "", ...fields };
}

/** The former rules, as dispatch requests them. */
async function formerRules(services: TestServices, guild: GuildId) {
  const rules = await services.call(listAnnouncementRules, { guildId: guild, formerAfter: 0 });
  return rules.flatMap(({ until, minutes, enabled }) => (until === undefined ? [] : [{ minutes, enabled }]));
}

describe("announcements on the bus", () => {
  let services: TestServices;
  const received: AnnouncementChanged[] = [];

  beforeAll(async () => {
    const listener = {
      name: "listener",
      events: {
        [announcementChanged.name]: ({ params }: { params: AnnouncementChanged }) => void received.push(params),
      },
    };
    services = await startTestServices((mongoUrl) => [announcementsService({ mongoUrl }), calendar], [listener]);
  });
  afterAll(() => services.stop());

  test("dispatch gets the rule that was in force before it was re-timed, disabled or removed", async () => {
    const guild = "11" as GuildId;
    const { id } = await services.call(createAnnouncement, createParams({ guildId: guild, minutes: 5 }));
    const update = (fields: object) => services.call(updateAnnouncement, { guildId: guild, id, ...fields });
    await expect(formerRules(services, guild)).resolves.toEqual([]);
    await update({ minutes: 6 });
    await update({ channel: "7" });
    await expect(formerRules(services, guild)).resolves.toEqual([{ minutes: 5, enabled: true }]);
    await update({ enabled: false });
    await expect(formerRules(services, guild)).resolves.toEqual([{ minutes: 6, enabled: true }]);
    // A disabled rule was not in force.
    await update({ minutes: 7 });
    await services.call(removeAnnouncement, { guildId: guild, id });
    await expect(formerRules(services, guild)).resolves.toEqual([{ minutes: 6, enabled: true }]);
    await expect(services.call(listAnnouncementRules, { guildId: guild })).resolves.toEqual([]);
    await expect(services.call(listAnnouncingGuilds, { guildIds: [guild, "12" as GuildId] })).resolves.toEqual([guild]);
  });

  test("a guild whose announcements were all disabled longer ago than a tombstone lives is not announcing", async () => {
    const guild = "14" as GuildId;
    const { id } = await services.call(createAnnouncement, createParams({ guildId: guild }));
    await services.call(updateAnnouncement, { guildId: guild, id, enabled: false });
    const announcing = () => services.call(listAnnouncingGuilds, { guildIds: [guild] });
    await expect(announcing()).resolves.toEqual([guild]);
    const connection = await mongoose.createConnection(services.mongoUrl).asPromise();
    const until = new Date(Date.now() - (TOMBSTONE_DAYS + 1) * 86_400_000);
    await connection.collection("announcements").updateOne({ guildId: guild }, { $set: { "former.until": until } });
    await connection.close();
    await expect(announcing()).resolves.toEqual([]);
  });

  test("dispatch gets the rules that were removed with their event", async () => {
    const guild = "13" as GuildId;
    await services.call(
      createAnnouncement,
      createParams({ guildId: guild, type: "SPECIFIC", eventId: series, minutes: 9 }),
    );
    await services.call(removeAnnouncementsOfEvent, { guildId: guild, eventId: series });
    await expect(formerRules(services, guild)).resolves.toEqual([{ minutes: 9, enabled: true }]);
  });

  test("an announcement is created, read, changed, listed and removed; each write is broadcast and in the change feed", async () => {
    const guild = "10" as GuildId;
    const { id } = await services.call(createAnnouncement, createParams({ guildId: guild, info: "$where {$ne: 1}" }));
    await expect(services.call(getAnnouncement, { guildId: guild, id })).resolves.toMatchObject({
      id,
      info: "$where {$ne: 1}",
      enabled: true,
      revision: 1,
    });
    await services.call(updateAnnouncement, { guildId: guild, id, channel: "7" });
    await expect(services.call(listAnnouncements, { guildId: guild, amount: -1 })).resolves.toMatchObject([
      { id, channel: "7", revision: 2 },
    ]);
    await services.call(removeAnnouncement, { guildId: guild, id });
    await expect(services.call(getAnnouncement, { guildId: guild, id })).rejects.toMatchObject({
      type: "ANNOUNCEMENT_NOT_FOUND",
    });
    const { changes } = await services.call(announcementsChangesSince, { mark: { at: 0, id: "" }, limit: 1000 });
    expect(changes.filter((change) => change.guildId === guild)).toMatchObject([{ id, revision: 3, deleted: true }]);
    expect(received.filter((change) => change.guildId === guild).map(({ revision }) => revision)).toEqual([1, 2, 3]);
  });

  test("an unknown id, a malformed one and one of another guild get the same response (D28)", async () => {
    const { id } = await services.call(createAnnouncement, createParams({ guildId: "20" as GuildId }));
    const responses = await Promise.all(
      [id, "nonsense", "", "00000000-0000-4000-8000-000000000000"].map((each) =>
        services.call(getAnnouncement, { guildId, id: each }).catch((error: unknown) => error),
      ),
    );
    const plain = responses.map((response) => {
      const { type, code, message } = response as { type: string; code: number; message: string };
      return { type, code, message };
    });
    expect(new Set(plain.map((response) => JSON.stringify(response))).size).toBe(1);
    expect(plain[0]).toMatchObject({ type: "ANNOUNCEMENT_NOT_FOUND", code: 404 });
    await expect(services.call(removeAnnouncement, { guildId, id })).rejects.toMatchObject({ code: 404 });
    await expect(services.call(updateAnnouncement, { guildId, id, channel: "1" })).rejects.toMatchObject({ code: 404 });
  });

  test("the list is in creation order, limited to the amount (D29)", async () => {
    const guild = "30" as GuildId;
    const ids: string[] = [];
    for (let at = 0; at < 5; at += 1)
      ids.push((await services.call(createAnnouncement, createParams({ guildId: guild }))).id);
    await services.call(removeAnnouncement, { guildId: guild, id: ids[1] as string });
    await services.call(updateAnnouncement, { guildId: guild, id: ids[0] as string, channel: "8" });
    const listed = async (amount: number) =>
      (await services.call(listAnnouncements, { guildId: guild, amount })).map(({ id }) => id);
    await expect(listed(-1)).resolves.toEqual([ids[0], ids[2], ids[3], ids[4]]);
    await expect(listed(2)).resolves.toEqual([ids[0], ids[2]]);
    await expect(listed(0)).resolves.toEqual([]);
    await expect(listed(-2)).rejects.toMatchObject({ data: { problems: [{ field: "amount" }] } });
  });

  test("RECUR stores the series of an occurrence; an unknown event is refused and nothing is stored (D24)", async () => {
    const guild = "40" as GuildId;
    const recur = createParams({ guildId: guild, type: "RECUR", eventId: `${series}_20261121T200000Z` });
    const { id } = await services.call(createAnnouncement, recur);
    await expect(services.call(getAnnouncement, { guildId: guild, id })).resolves.toMatchObject({ eventId: series });
    const unknown = { ...recur, eventId: `e${"2".repeat(25)}` };
    await expect(services.call(createAnnouncement, unknown)).rejects.toMatchObject({ type: "EVENT_NOT_FOUND" });
    await expect(services.call(listAnnouncements, { guildId: guild, amount: -1 })).resolves.toHaveLength(1);
  });

  test("an empty event counts as missing if the type needs one, on create and on update, and not as unknown", async () => {
    const guild = "45" as GuildId;
    const missing = {
      type: "INVALID_REQUEST",
      code: 400,
      data: { problems: [{ field: "eventId", code: "REQUIRED" }] },
    };
    const specific = createParams({ guildId: guild, type: "SPECIFIC", eventId: series });
    const { id } = await services.call(createAnnouncement, specific);
    for (const type of ["SPECIFIC", "RECUR"] as const) {
      const none = { guildId: guild, type, eventId: "" };
      await expect(services.call(createAnnouncement, createParams(none))).rejects.toMatchObject(missing);
      await expect(services.call(updateAnnouncement, { ...none, id })).rejects.toMatchObject(missing);
    }
    await expect(services.call(updateAnnouncement, { guildId: guild, id, eventId: "" })).rejects.toMatchObject(missing);
    await services.call(updateAnnouncement, { guildId: guild, id, type: "UNIVERSAL", eventId: "" });
  });

  test("a change of the text keeps standsSince, and a change of the time renews it (D31)", async () => {
    const { id } = await services.call(createAnnouncement, createParams());
    const read = () => services.call(getAnnouncement, { guildId, id });
    const created = await read();
    await services.call(updateAnnouncement, { guildId, id, info: "words" });
    const reworded = await read();
    expect(reworded).toMatchObject({ info: "words", standsSince: created.standsSince });
    await services.call(updateAnnouncement, { guildId, id, minutes: 6 });
    expect((await read()).standsSince).toBeGreaterThan(reworded.standsSince);
  });

  test("a guild never has more than 1000, however many creates are concurrent (D26)", async () => {
    const guild = "50" as GuildId;
    for (let batch = 0; batch < 99; batch += 1) {
      for (let each = 0; each < 10; each += 1) {
        await services.call(createAnnouncement, createParams({ guildId: guild }));
      }
    }
    const racing = await Promise.allSettled(
      Array.from({ length: 20 }, () => services.call(createAnnouncement, createParams({ guildId: guild }))),
    );
    expect(racing.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    const reasons = racing.flatMap((outcome) =>
      outcome.status === "rejected" ? [outcome.reason as { code: number }] : [],
    );
    expect(reasons.map(({ code }) => code)).toEqual(Array.from({ length: 10 }, () => 409));
    const all = await services.call(listAnnouncements, { guildId: guild, amount: -1 });
    expect(all).toHaveLength(MAX_ANNOUNCEMENTS);
    await services.call(removeAnnouncement, { guildId: guild, id: all[0]?.id as string });
    await expect(services.call(createAnnouncement, createParams({ guildId: guild }))).resolves.toHaveProperty("id");
  });

  test("a list of more than 4 MiB is refused for a key, naming amount; dispatch, which plans from it, gets all (D38)", async () => {
    const guild = "11" as GuildId;
    const subscribersUser = Array.from({ length: 1_000 }, (_, at) => String(10 ** 18 + at));
    const large = createParams({ guildId: guild, info: "\u{1F600}".repeat(2_000), subscribersUser });
    for (let made = 0; made < 150; made += 1) await services.call(createAnnouncement, large);
    const caller: Caller = { keyId: "k", kind: "guild", access: "read", guilds: [guild] };
    /** The outcome of a list, which a busy machine may not send in time. */
    async function outcomeOf(amount: number, meta = {}): Promise<unknown> {
      let outcome: unknown;
      await untilHolds(async () => {
        outcome = await services
          .call(listAnnouncements, { guildId: guild, amount }, meta)
          .catch((error: unknown) => error);
        return (outcome as { type?: string }).type !== "REQUEST_TIMEOUT";
      }, "a response");
      return outcome;
    }
    expect(await outcomeOf(130, { caller })).toHaveLength(130);
    expect(await outcomeOf(-1, { caller })).toMatchObject({
      type: "TOO_MANY_ENTRIES",
      data: { problems: [{ field: "amount", code: "TOO_MANY" }] },
    });
    expect(await outcomeOf(-1)).toHaveLength(150);
  });
});
