import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { everyOwner } from "../harness/every-owner.ts";
import { startTestGateway, type TestGateway, untilReady } from "../harness/test-gateway.ts";
import { until } from "../harness/until.ts";

const HOUR = 3_600_000;
const guild_id = "375357265198317701";
const channel = "381142957109346304";
const calendar_number = 1;

type Fields = Record<string, unknown>;
type Post = Record<"announcement_id" | "event_id" | "channel", string> & Record<"due" | "epoch_start", number>;

/** The endpoint that makes the write of each action. */
const PATHS: Readonly<Record<string, string>> = {
  CREATE_EVENT: "/v2/events/create",
  UPDATE_EVENT: "/v2/events/update",
  DELETE_EVENT: "/v2/events/delete",
  CREATE_ANNOUNCEMENT: "/v1/announcement/create",
  UPDATE_ANNOUNCEMENT: "/v1/announcement/update",
  DELETE_ANNOUNCEMENT: "/v1/announcement/delete",
  UPDATE_SETTINGS: "/v2/guild/settings/update",
  UPDATE_CALENDAR: "/v2/calendar/update",
};

describe("drafts, over all services", () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway(everyOwner);
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  async function post(path: string, fields: Fields): Promise<Fields> {
    const { status, body } = await gateway.post(path, { guild_id, ...fields });
    if (status !== 200) throw new Error(`${path} ${JSON.stringify(fields)}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  /** Every post of the next year, planned or computed, read in pages. */
  async function upcoming(): Promise<(Post & { computed?: true })[]> {
    const posts: Post[] = [];
    let cursor: unknown;
    do {
      const page = await post("/v1/announcement/upcoming", {
        due_from: 0,
        limit: 50,
        ...(cursor === undefined ? {} : { cursor }),
      });
      posts.push(...(page["posts"] as Post[]));
      cursor = page["next"];
    } while (cursor !== undefined);
    return posts;
  }

  const lineOf = ({ announcement_id, event_id, epoch_start, due, channel: to }: Post) =>
    [announcement_id, event_id, epoch_start, due, to].join(" ");

  test("a diff is what upcoming shows after the drafts are sent to their endpoints", async () => {
    const start = Math.ceil(Date.now() / HOUR) * HOUR + 3 * HOUR;
    const at = (hours: number) => ({ epoch_start: start + hours * HOUR, epoch_end: start + (hours + 1) * HOUR });
    const weekly = { recur: true, recurrence: { frequency: "WEEKLY", count: -1, interval: 1 } };
    const single = String((await post("/v2/events/create", { calendar_number, name: "Single", ...at(0) }))["id"]);
    const far = String((await post("/v2/events/create", { calendar_number, name: "Far", ...at(24 * 200) }))["id"]);
    const series = String(
      (await post("/v2/events/create", { calendar_number, name: "Series", ...at(1), ...weekly }))["id"],
    );
    const moved = String(
      (await post("/v2/events/create", { calendar_number, name: "Moved", ...at(2), ...weekly }))["id"],
    );
    const announcement = { channel, type: "UNIVERSAL", hours: 1, minutes: 0, info: "" };
    const all = String((await post("/v1/announcement/create", announcement))["id"]);
    const red = { ...announcement, type: "COLOR", event_color: "RED" };
    const ofRed = String((await post("/v1/announcement/create", red))["id"]);
    const stamp = (hours: number) => new Date(start + hours * HOUR).toISOString().replaceAll(/[-:]|\.000/g, "");
    const changes = [
      { action: "update_event", calendar_number, event_id: single, ...at(5) },
      { action: "UPDATE_EVENT", calendar_number, event_id: far, name: "Renamed", color: "RED" },
      { action: "DELETE_EVENT", calendar_number, event_id: `${series}_${stamp(1 + 7 * 24)}` },
      { action: "UPDATE_EVENT", calendar_number, event_id: `${series}_${stamp(1 + 14 * 24)}`, ...at(14 * 24 + 3) },
      {
        action: "UPDATE_EVENT",
        calendar_number,
        event_id: `${moved}_${stamp(2 + 21 * 24)}`,
        scope: "following",
        ...at(2 + 22 * 24),
      },
      { action: "CREATE_EVENT", calendar_number, name: "New", ...at(30), color: "RED" },
      { action: "CREATE_ANNOUNCEMENT", ...announcement, type: "SPECIFIC", event_id: "e0000000000000000000000005" },
      { action: "UPDATE_ANNOUNCEMENT", id: ofRed, minutes: 15, channel: "381142957109346305" },
      { action: "UPDATE_CALENDAR", calendar_number, timezone: "America/New_York" },
      { action: "UPDATE_SETTINGS", prefix: "?" },
      { action: "UPDATE_EVENT", calendar_number, event_id: "e0000000000000000000000005", ...at(31) },
      { action: "DELETE_ANNOUNCEMENT", id: all },
      { action: "CREATE_ANNOUNCEMENT", ...announcement, hours: 2, info: "Again" },
    ];
    const before = await upcoming();
    expect(before.filter(({ computed }) => computed === true).length).toBeGreaterThan(50);
    const diff = await post("/v2/plan/diff", { changes, limit: 200 });
    expect((await upcoming()).map(lineOf)).toEqual(before.map(lineOf));
    expect(diff).toMatchObject({ more: true });

    const ids = new Map<string, string>();
    for (const [index, { action, ...fields }] of changes.entries()) {
      const text = [...ids].reduce((json, [draft, id]) => json.replaceAll(draft, id), JSON.stringify(fields));
      const body = await post(PATHS[action.toUpperCase()]!, JSON.parse(text) as Fields);
      const { id } = body as { id?: string };
      if (id === undefined) continue;
      const isEvent = action.toUpperCase().endsWith("_EVENT");
      ids.set(
        isEvent ? `e${String(index).padStart(25, "0")}` : `00000000-0000-0000-0000-${String(index).padStart(12, "0")}`,
        id,
      );
    }
    const stored = (text: string) => [...ids].reduce((line, [draft, id]) => line.replaceAll(draft, id), text);
    const differences = diff["posts"] as (Post & { effect: string; before?: Post })[];
    const last = differences.at(-1)!.due;
    const within = (posts: readonly Post[]) => posts.filter(({ due }) => due < last).map(lineOf);
    const expected = new Set(within(before));
    for (const each of differences) {
      if (each.effect === "VANISHES") expected.delete(lineOf(each));
      if (each.before !== undefined) expected.delete(lineOf(each.before));
    }
    for (const each of differences) {
      if (each.effect !== "VANISHES" && each.due < last) expected.add(stored(lineOf(each)));
    }
    // A post that moved beyond the listed ones is at its former place in none of them.
    const found = async () =>
      within(await upcoming())
        .toSorted()
        .join("\n");
    const wanted = [...expected].toSorted().join("\n");
    let shown = "";
    await until(async () => (shown = await found()) === wanted, "upcoming is as the diff said", 120_000, 200).catch(
      () => undefined,
    );
    expect(shown).toBe(wanted);
  });

  test("a create with dry_run shows its posts, stores nothing, and leaves its Idempotency-Key to the create (D64)", async () => {
    const start = Math.ceil(Date.now() / HOUR) * HOUR + 40 * HOUR;
    const event = { guild_id, calendar_number, name: "Dry", epoch_start: start, epoch_end: start + HOUR };
    const key = { "idempotency-key": "dry-run" };
    await post("/v1/announcement/create", { channel, type: "UNIVERSAL", hours: 1, minutes: 0, info: "" });
    const create = (fields: Fields) => gateway.post("/v2/events/create", { ...event, ...fields }, key);
    const dry = await create({ dry_run: true });
    expect([dry.status, dry.body["posts"]]).toEqual([
      200,
      expect.arrayContaining([expect.objectContaining({ effect: "APPEARS", text: expect.stringContaining("Dry") })]),
    ]);
    const search = { calendar_number, text: "Dry", limit: 10 };
    expect(await post("/v2/events/search", search)).toMatchObject({ events: [] });
    const created = await create({});
    expect((await create({})).body).toEqual(created.body);
    expect(await post("/v2/events/search", search)).toMatchObject({ events: [{ event_id: created.body["id"] }] });
  });

  test("a refused draft has the error of its endpoint, with its index", async () => {
    const other = { calendar_number, name: "x", epoch_start: 5, epoch_end: 4 };
    const { status, body } = await gateway.post("/v2/plan/diff", {
      guild_id,
      changes: [
        { action: "CREATE_EVENT", ...other, epoch_end: 6 },
        { action: "CREATE_EVENT", ...other, recurrence: { frequency: "HOURLY", by_day: ["XX"] } },
        { action: "NOTHING" },
        { action: "UPDATE_ANNOUNCEMENT", id: "x", subscribers_role: ["y"] },
        7,
      ],
    });
    expect(status).toBe(400);
    const errors = body["errors"] as { field: string; code: string }[];
    expect(errors.map(({ field, code }) => `${field} ${code}`).toSorted()).toEqual([
      "changes[1].epoch_end OUT_OF_RANGE",
      "changes[1].recur CONFLICTING",
      "changes[1].recurrence.by_day[0] MALFORMED",
      "changes[1].recurrence.frequency NOT_ALLOWED",
      "changes[2].action NOT_ALLOWED",
      "changes[3].subscribers_role[0] MALFORMED",
      "changes[4] WRONG_TYPE",
    ]);
    const gone = { action: "DELETE_ANNOUNCEMENT", id: "00000000-0000-0000-0000-000000000000" };
    const missing = await gateway.post("/v2/plan/diff", { guild_id, changes: [gone] });
    expect(missing).toMatchObject({
      status: 404,
      body: { code: "ANNOUNCEMENT_NOT_FOUND", message: "changes[0]: Announcement not found" },
    });
    const conflict = { action: "CREATE_EVENT", calendar_number, epoch_start: 0, epoch_end: 0, recur: true };
    const rule = { frequency: "WEEKLY", by_day: ["MO"], count: -1 };
    const refused = await gateway.post("/v2/plan/diff", {
      guild_id,
      changes: [
        { ...conflict, recurrence: rule },
        { action: "DELETE_ANNOUNCEMENT", id: "x" },
      ],
    });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: "changes[0].epoch_start" }] } });
  });
});
