import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Change, changingGuild } from "../../../test/harness/changing-guild.ts";
import { everyOwner } from "../../../test/harness/every-owner.ts";
import { startTestGateway, type TestGateway, untilReady } from "../../../test/harness/test-gateway.ts";
import { until } from "../../../test/harness/until.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { FIRST_POSITION } from "../domain/sync-position.ts";
import { encodeSyncToken } from "./sync-token.ts";

const KEY = "operator-key-of-the-tests";
const HOUR = 3_600_000;

describe("the changes of a guild (D48)", () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway(everyOwner);
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  test("without a token are everything that the guild has, and with one only what has changed since", async () => {
    const guild = changingGuild(gateway);
    const empty = await guild.changes();
    expect([empty.changes, empty.more]).toEqual([[], false]);
    const id = await guild.event({ name: "Raid night" });
    await guild.ask("/v2/guild/settings/update", { guild_id: guild.guild_id, prefix: "?" });
    await guild.ask("/v2/calendar/update", { ...guild.where, name: "Raids" });
    const rule = { guild_id: guild.guild_id, channel: "7", type: "UNIVERSAL", hours: 0, minutes: 30, info: "" };
    const announcement = await guild.ask("/v1/announcement/create", rule);
    const first = await guild.changes(empty.sync_token);
    expect(first.changes.map(({ kind, deleted, revision }) => [kind, deleted, revision])).toEqual([
      ["event", false, 1],
      ["settings", false, 1],
      ["calendar", false, 1],
      ["announcement", false, 1],
    ]);
    const [event, settings, calendar, announced] = first.changes;
    expect(event).toMatchObject({
      id,
      event: { calendar_number: 1, event_id: id, name: "Raid night", is_parent: false },
    });
    expect(settings).toMatchObject({ id: guild.guild_id, settings: { prefix: "?" } });
    expect(calendar).toMatchObject({ id: "1", calendar: { calendar_number: 1, name: "Raids", timezone: "UTC" } });
    expect(announced).toMatchObject({ id: announcement["id"], announcement: { id: announcement["id"], channel: "7" } });
    expect(await guild.changes(first.sync_token)).toMatchObject({ changes: [], more: false });

    await guild.rename(id, "Moved");
    await guild.ask("/v2/events/update", { ...guild.where, event_id: id, color: "RED" });
    await guild.ask("/v1/announcement/delete", { guild_id: guild.guild_id, id: announcement["id"] });
    const second = await guild.changes(first.sync_token);
    expect(second.changes).toMatchObject([
      { kind: "event", id, revision: 3, event: { name: "Moved", color: "RED" } },
      { kind: "announcement", id: announcement["id"], deleted: true, revision: 2 },
    ]);
    expect(second.changes[1]).not.toHaveProperty("announcement");
    const whole = await guild.all();
    expect(whole.changes.map(({ kind }) => kind).toSorted()).toEqual(["announcement", "calendar", "event", "settings"]);
  });

  test("have a series with a new revision for each changed occurrence", async () => {
    const guild = changingGuild(gateway);
    const id = await guild.event({ recur: true, recurrence: { frequency: "DAILY" } });
    const { sync_token, changes } = await guild.changes();
    expect(changes[0]?.event).toMatchObject({ event_id: id, is_parent: true, recurrence: { frequency: "DAILY" } });
    expect(changes[0]?.event).not.toHaveProperty("has_changed_occurrences");
    const { events } = (await guild.ask("/v2/events/list/range", {
      ...guild.where,
      epoch_start: guild.times.epoch_start + 24 * HOUR,
      epoch_end: guild.times.epoch_start + 26 * HOUR,
    })) as never as { events: { event_id: string }[] };
    await guild.ask("/v2/events/update", { ...guild.where, event_id: events[0]?.event_id, name: "Special" });
    const after = await guild.changes(sync_token);
    expect(after.changes).toMatchObject([{ id, revision: 2, event: { has_changed_occurrences: true } }]);
  });

  test("have the outcome of each post once, whether it was sent, cancelled or skipped", async () => {
    const guild = changingGuild(gateway);
    const { guild_id } = guild;
    const rule = { guild_id, channel: "7", type: "UNIVERSAL", hours: 0, minutes: 1, info: "" };
    const { token } = await guild.all();
    const sent = (await guild.ask("/v1/announcement/create", rule))["id"];
    // Due at once: the event is created when the due instant is past.
    await guild.event({ epoch_start: Date.now() + 30_000, epoch_end: Date.now() + HOUR });
    const late = await guild.event({ epoch_start: Date.now() + 4 * HOUR, epoch_end: Date.now() + 5 * HOUR });
    const posts: Change[] = [];
    let next = token;
    const collect = async () => {
      const page = await guild.all(next);
      next = page.token;
      posts.push(...page.changes.filter(({ kind }) => kind === "post"));
    };
    await until(
      async () => {
        await collect();
        return posts.some(({ post }) => post?.["state"] === "sent");
      },
      "the outcome of a sent post",
      30_000,
      50,
    );
    await until(
      async () => {
        const { body } = await gateway.post("/v1/announcement/upcoming", { guild_id, amount: -1 });
        return Number(body["amount"]) > 0;
      },
      "the later post is planned",
      30_000,
    );
    await guild.ask("/v2/events/delete", { ...guild.where, event_id: late });
    await until(
      async () => {
        await collect();
        return posts.some(({ post }) => post?.["state"] === "cancelled");
      },
      "the outcome of a cancelled post",
      30_000,
      50,
    );
    expect(posts.find(({ post }) => post?.["state"] === "sent")?.post).toMatchObject({ announcement_id: sent });
    expect(new Set(posts.map(({ id }) => id)).size).toBe(posts.length);
    const { body: history } = await gateway.post("/v1/announcement/history", { guild_id, amount: -1 });
    const inChanges = (await guild.all()).changes.filter(({ kind }) => kind === "post").map(({ post }) => post);
    const inHistory = history["posts"] as Record<string, unknown>[];
    const order = (list: (Record<string, unknown> | undefined)[]) =>
      list.map((each) => JSON.stringify(each)).toSorted();
    expect(order(inChanges)).toEqual(order(inHistory));
  });

  test("are complete and without repetition while many writers change the guild and the reader starts again from its token", async () => {
    const guild = changingGuild(gateway);
    const ids = await Promise.all(Array.from({ length: 10 }, (_, n) => guild.event({ name: `event ${n}` })));
    const revisions = new Map(ids.map((id) => [id, 1]));
    const state = { writers: ids.length };
    const writing = ids.map(async (id) => {
      for (let n = 0; n < 30; n += 1) {
        await guild.rename(id, `name ${n}`);
        revisions.set(id, n + 2);
      }
      state.writers -= 1;
    });
    const seen: string[] = [];
    let token: string | undefined;
    while (state.writers > 0) {
      const page = await guild.changes(token, 1 + (seen.length % 5));
      seen.push(...page.changes.map(({ id, revision }) => `${id}@${revision}`));
      token = page.sync_token;
    }
    await Promise.all(writing);
    await until(
      async () => {
        const rest = await guild.all(token);
        seen.push(...rest.changes.map(({ id, revision }) => `${id}@${revision}`));
        token = rest.token;
        return [...revisions].every(([id, revision]) => seen.includes(`${id}@${revision}`));
      },
      "the newest revision of each event",
      40_000,
      500,
    );
    expect(seen.filter((key, at) => seen.indexOf(key) !== at)).toEqual([]);
    expect(seen.length).toBeGreaterThan(ids.length);
  });

  test("a bad token is a 400 that names the field, one of another guild too, and an old one a 410", async () => {
    const guild = changingGuild(gateway);
    const other = await changingGuild(gateway).changes();
    for (const sync_token of ["x", "1..", "\u0000", other.sync_token, other.sync_token.slice(0, -3)]) {
      const { status, body } = await gateway.post("/v2/changes", { guild_id: guild.guild_id, sync_token });
      const fields = (body["errors"] as { field: string }[]).map(({ field }) => field);
      expect([sync_token, status, body["code"], fields]).toEqual([sync_token, 400, "INVALID_REQUEST", ["sync_token"]]);
    }
    const { status, body } = await gateway.post("/v2/changes", { guild_id: guild.guild_id, limit: 1_001 });
    expect([status, body["errors"]]).toMatchObject([400, [{ field: "limit" }]]);
    const days = (count: number) =>
      encodeSyncToken({
        guildId: guild.guild_id as GuildId,
        readAt: Date.now() - count * 24 * HOUR,
        position: FIRST_POSITION,
      });
    const old = await gateway.post("/v2/changes", { guild_id: guild.guild_id, sync_token: days(7) });
    expect([old.status, old.body["code"]]).toEqual([410, "SYNC_TOKEN_EXPIRED"]);
    await guild.changes(days(6));
    const path = `/v2/changes/stream?guild_id=${guild.guild_id}&sync_token=`;
    const refused = await gateway.request(path + days(7), { headers: { authorization: KEY } });
    expect([refused.status, refused.body["code"]]).toEqual([410, "SYNC_TOKEN_EXPIRED"]);
    const malformed = await gateway.request(`${path}x`, { headers: { authorization: KEY } });
    expect([malformed.status, malformed.body["errors"]]).toMatchObject([400, [{ field: "sync_token" }]]);
  });
});
