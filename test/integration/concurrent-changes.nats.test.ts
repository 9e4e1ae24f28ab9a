import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { announcementsService } from "../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../harness/test-gateway.ts";

const HOUR = 3_600_000;
const noon = Date.UTC(2030, 4, 6, 12);
const calendar = { calendar_number: 1 };
const one = { channel: "1", type: "UNIVERSAL", hours: 0, minutes: 5, info: "" };

describe("changes of one resource by several clients (D36)", () => {
  /** Two installations that share only a database, like two replicas without a bus between them. */
  let replicas: readonly [TestGateway, TestGateway];
  let guilds = 900;
  const newGuild = () => String((guilds += 1));

  beforeAll(async () => {
    const services = (mongoUrl: string) => [
      guildSettingsService({ mongoUrl }),
      announcementsService({ mongoUrl }),
      calendarEventsService({ mongoUrl }),
      standIn("dispatch"),
      standIn("webhooks"),
    ];
    const first = await startTestGateway(services);
    replicas = [first, await startTestGateway(() => services(first.mongoUrl))];
    await Promise.all(replicas.map(untilReady));
  });
  afterAll(() => Promise.all(replicas.map((gateway) => gateway.stop())));

  const post = (path: string, body: object, ifMatch?: string, replica = 0) =>
    replicas[replica]!.post(path, body, ifMatch === undefined ? {} : { "if-match": ifMatch });

  async function etagOf(path: string, body: object): Promise<string> {
    const { status, headers } = await post(path, body);
    expect([path, status, headers.get("etag")]).toEqual([path, 200, expect.stringMatching(/^"[\d.]+"$/)]);
    return headers.get("etag") as string;
  }

  async function announcement(guild_id: string): Promise<{ guild_id: string; id: string }> {
    const { body } = await post("/v1/announcement/create", { guild_id, ...one });
    return { guild_id, id: String(body["id"]) };
  }

  const ids = (count: number) => Array.from({ length: count }, (_, at) => String(1_000 + at));

  test("twenty users who subscribe concurrently, with one request each over two replicas, are all subscribed", async () => {
    const it = await announcement(newGuild());
    const responses = await Promise.all(
      ids(20).map((user, at) =>
        post("/v1/announcement/update", { ...it, subscribers_user_add: [user] }, undefined, at % 2),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(new Set(responses.map(({ headers }) => headers.get("etag"))).size).toBe(20);
    const { body } = await post("/v1/announcement/get", it);
    expect((body["subscribers_user"] as string[]).toSorted()).toEqual(ids(20));
  });

  test("a repeated subscription changes nothing, gets the same response, and creates no revision", async () => {
    const it = await announcement(newGuild());
    const change = { ...it, subscribers_role_add: ["everyone", "7"] };
    const first = await post("/v1/announcement/update", change);
    const again = await post("/v1/announcement/update", change);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect([first.headers.get("etag"), again.headers.get("etag")]).toEqual(['"2"', '"2"']);
    await post("/v1/announcement/update", { ...it, subscribers_role_remove: ["everyone"] });
    await expect(post("/v1/announcement/get", it)).resolves.toMatchObject({ body: { subscribers_role: ["7"] } });
  });

  test("additional subscribers with the whole list, in both lists, or beyond 1000 are refused with the field names of the request", async () => {
    const it = await announcement(newGuild());
    await post("/v1/announcement/update", { ...it, subscribers_user: ids(1_000) });
    const refused = async (more: object) => {
      const { status, body } = await post("/v1/announcement/update", { ...it, ...more });
      return [status, body["code"], (body["errors"] as { field: string }[]).map(({ field }) => field)];
    };
    await expect(refused({ subscribers_user: [], subscribers_user_add: ["1"] })).resolves.toEqual([
      400,
      "INVALID_REQUEST",
      ["subscribers_user_add"],
    ]);
    await expect(refused({ subscribers_role_add: ["1"], subscribers_role_remove: ["1"] })).resolves.toEqual([
      400,
      "INVALID_REQUEST",
      ["subscribers_role_add[0]"],
    ]);
    await expect(refused({ subscribers_user_add: ["1"] })).resolves.toEqual([
      409,
      "TOO_MANY_SUBSCRIBERS",
      ["subscribers_user_add"],
    ]);
    await expect(etagOf("/v1/announcement/get", it)).resolves.toBe('"2"');
  });

  /** The resources with revisions: how to create, read and change each, and the value that a get returns afterwards. */
  const RESOURCES = [
    {
      name: "an announcement",
      make: (guild_id: string) => announcement(guild_id),
      get: "/v1/announcement/get",
      update: "/v1/announcement/update",
      remove: "/v1/announcement/delete",
      field: "channel",
      values: ids(21),
    },
    {
      name: "a single event",
      make: (guild_id: string) => event(guild_id),
      get: "/v2/events/get",
      update: "/v2/events/update",
      remove: "/v2/events/delete",
      field: "name",
      values: ids(21),
    },
    {
      name: "a series",
      make: (guild_id: string) => series(guild_id),
      get: "/v2/events/get",
      update: "/v2/events/update",
      remove: "/v2/events/delete",
      field: "name",
      values: ids(21),
    },
    {
      name: "one occurrence",
      make: async (guild_id: string) => occurrenceOf(await series(guild_id)),
      get: "/v2/events/get",
      update: "/v2/events/update",
      remove: "/v2/events/delete",
      field: "location",
      values: ids(21),
    },
    {
      name: "a calendar",
      make: async (guild_id: string) => ({ guild_id, ...calendar }),
      get: "/v2/calendar/get",
      update: "/v2/calendar/update",
      field: "name",
      values: ids(21),
    },
    {
      name: "settings as v1 has them",
      make: async (guild_id: string) => ({ guild_id }),
      get: "/v1/guild/settings/get",
      update: "/v1/guild/settings/update",
      field: "prefix",
      values: ids(21),
    },
    {
      name: "settings as v2 has them",
      make: async (guild_id: string) => ({ guild_id }),
      get: "/v2/guild/settings/get",
      update: "/v2/guild/settings/update",
      field: "prefix",
      values: ids(21),
    },
  ];

  async function event(guild_id: string, more: object = {}) {
    const times = { epoch_start: noon, epoch_end: noon + HOUR };
    const { body } = await post("/v2/events/create", { guild_id, ...calendar, ...times, ...more });
    return { guild_id, ...calendar, event_id: String(body["id"]) };
  }

  const series = (guild_id: string) => event(guild_id, { recur: true, recurrence: { frequency: "DAILY" } });

  function occurrenceOf(reference: Awaited<ReturnType<typeof event>>, day = "20300507") {
    return { ...reference, event_id: `${reference.event_id}_${day}T120000Z` };
  }

  describe.each(RESOURCES)("$name", ({ make, get, update, remove, field, values }) => {
    const [first = "", ...others] = values;

    test("is updated with its current revision, and returns the next one, like a get", async () => {
      const it = await make(newGuild());
      const read = await etagOf(get, it);
      const { status, headers } = await post(update, { ...it, [field]: first }, read);
      expect([status, headers.get("etag") === read]).toEqual([200, false]);
      await expect(etagOf(get, it)).resolves.toBe(headers.get("etag"));
      const { status: anyOf } = await post(update, { ...it, [field]: first }, `"77", ${headers.get("etag")}`);
      expect(anyOf).toBe(200);
      expect((await post(update, { ...it, [field]: first }, "*")).status).toBe(200);
    });

    test("is not changed with another revision or a weak entity tag, and returns 412", async () => {
      const it = await make(newGuild());
      const old = await etagOf(get, it);
      await post(update, { ...it, [field]: first });
      const before = await post(get, it);
      for (const tag of [old, `W/${before.headers.get("etag")}`, '"of-another-server"']) {
        const { status, body } = await post(update, { ...it, [field]: "2000" }, tag);
        expect([tag, status, body["code"]]).toEqual([tag, 412, "REVISION_MISMATCH"]);
        if (remove === undefined) continue;
        await expect(post(remove, it, tag)).resolves.toMatchObject({
          status: 412,
          body: { code: "REVISION_MISMATCH" },
        });
      }
      const after = await post(get, it);
      expect([after.text, after.headers.get("etag")]).toEqual([before.text, before.headers.get("etag")]);
    });

    test("accepts one of twenty concurrent updates from one revision over two replicas, and refuses the others", async () => {
      const it = await make(newGuild());
      const read = await etagOf(get, it);
      const responses = await Promise.all(
        others.map((value, at) => post(update, { ...it, [field]: value }, read, at % 2)),
      );
      const taken = others.filter((_, at) => responses[at]?.status === 200);
      expect(responses.filter(({ status }) => status === 412)).toHaveLength(19);
      expect(taken).toHaveLength(1);
      await expect(post(get, it)).resolves.toMatchObject({ body: { [field]: taken[0] } });
    });

    test("returns a 400 with the header's name for a malformed If-Match, and is not changed", async () => {
      const it = await make(newGuild());
      const read = await etagOf(get, it);
      for (const malformed of ["5", '"5" "6"', '"'])
        await expect(post(update, { ...it, [field]: first }, malformed)).resolves.toMatchObject({
          status: 400,
          body: { code: "INVALID_REQUEST", errors: [{ field: "If-Match", code: "MALFORMED" }] },
        });
      await expect(etagOf(get, it)).resolves.toBe(read);
    });
  });

  test.each(RESOURCES.filter(({ remove }) => remove !== undefined))(
    "$name is deleted for who names its revision, and is then a 404 whatever revision is named",
    async ({ make, get, update, remove = "", field }) => {
      const it = await make(newGuild());
      const read = await etagOf(get, it);
      expect((await post(remove, it, read)).status).toBe(200);
      for (const tag of [read, "*", '"77"']) {
        for (const path of [update, remove]) {
          await expect(post(path, { ...it, [field]: "1" }, tag)).resolves.toMatchObject({ status: 404 });
        }
      }
    },
  );

  test("settings of an unknown guild have the revision 0, from which one client can write the first revision", async () => {
    const guild_id = newGuild();
    await expect(etagOf("/v1/guild/settings/get", { guild_id })).resolves.toBe('"0"');
    await expect(etagOf("/v2/guild/settings/get", { guild_id })).resolves.toBe('"0"');
    const responses = await Promise.all(
      [0, 1].map((at) => post("/v2/guild/settings/update", { guild_id, prefix: "?" }, '"0"', at)),
    );
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412]);
    await expect(etagOf("/v1/guild/settings/get", { guild_id })).resolves.toBe('"1"');
  });

  test("an occurrence's ETag changes with its own data, that of its series, and its calendar's zone", async () => {
    const parent = await series(newGuild());
    const it = occurrenceOf(parent);
    const seen = [await etagOf("/v2/events/get", it)];
    await post("/v2/events/update", { ...it, name: "its own" });
    seen.push(await etagOf("/v2/events/get", it));
    await post("/v2/events/update", { ...parent, location: "here" });
    seen.push(await etagOf("/v2/events/get", it));
    await post("/v2/calendar/update", { guild_id: parent.guild_id, ...calendar, timezone: "Asia/Tokyo" });
    seen.push(await etagOf("/v2/events/get", it));
    expect(new Set(seen).size).toBe(4);
    await expect(etagOf("/v2/events/get", parent)).resolves.toBe(seen.at(-1));
    for (const old of seen.slice(0, 3)) {
      await expect(post("/v2/events/update", { ...it, name: "late" }, old)).resolves.toMatchObject({ status: 412 });
    }
    expect((await post("/v2/events/update", { ...it, name: "now" }, seen.at(-1))).status).toBe(200);
  });

  test("If-Match at an endpoint that compares no revision gets a 400 with the header's name, and nothing is changed", async () => {
    const guild_id = newGuild();
    for (const [path, body] of [
      ["/v1/announcement/create", { guild_id, ...one }],
      ["/v1/announcement/list", { guild_id, amount: -1 }],
      ["/v2/guild/settings/get", { guild_id }],
    ] as const) {
      await expect(post(path, body, '"1"')).resolves.toMatchObject({
        status: 400,
        body: { errors: [{ field: "If-Match", code: "NOT_ALLOWED" }] },
      });
    }
    await expect(post("/v1/announcement/list", { guild_id, amount: -1 })).resolves.toMatchObject({
      body: { amount: 0 },
    });
  });
});
