import { describe, expect, test } from "@jest/globals";
import type { EventView } from "../../contracts/calendar-events.contract.ts";
import { isRefusal } from "../../contracts/errors.ts";
import type { EventId } from "../../contracts/ids.ts";
import { MAX_RESPONSE_BYTES } from "../../contracts/list-limits.ts";
import { encodeList } from "./encode-list.ts";
import { ROUTES } from "../route-table.ts";

const routeAt = (path: string) => {
  const route = ROUTES.find(({ paths }) => paths.includes(path));
  if (route === undefined) throw new Error(path);
  return route;
};
const range = routeAt("/v2/events/list/range");

const events = (count: number, name = "Réunion"): EventView[] =>
  Array.from({ length: count }, (_, at) => ({
    eventId: `e${at}` as EventId,
    startsAt: at,
    endsAt: at,
    name,
    isParent: false,
    color: "NONE",
    recurs: false,
  }));

async function bodyOf(route: typeof range, result: unknown): Promise<Buffer> {
  const body = await encodeList(route, result);
  if (isRefusal(body)) throw new Error(body.refusal);
  return typeof body === "string" ? Buffer.from(body) : Buffer.concat(body);
}

describe("the encoding of lists", () => {
  test.each([0, 1, 50, 51, 100, 1_234])("returns the JSON of a list with %d entries", async (count) => {
    const result = events(count);
    expect((await bodyOf(range, result)).toString()).toBe(JSON.stringify(range.encode(result)));
    const counted = routeAt("/v1/announcement/upcoming");
    const entries = result.map(({ eventId }) => ({
      eventId,
      dueAt: 1,
      announcementId: "é",
      startsAt: 1,
      channel: "1",
    }));
    const posts = { posts: entries, ...(count > 50 ? { notPlanned: { code: "TOO_MANY_POSTS" } } : {}) };
    expect((await bodyOf(counted, posts)).toString()).toBe(JSON.stringify(counted.encode(posts)));
    const paged = routeAt("/admin/keys/audit");
    const page = { changes: entries.map(({ eventId: by }) => ({ by })), ...(count > 50 ? { next: "1_a" } : {}) };
    expect((await bodyOf(paged, page)).toString()).toBe(JSON.stringify(paged.encode(page)));
  });

  test.each([1, 5_000])(
    "returns exactly 4 MiB, and refuses one byte more, for a list with %d entries",
    async (count) => {
      const missing = MAX_RESPONSE_BYTES - (await bodyOf(range, events(count, "é"))).length;
      const [first, ...others] = events(count, "é");
      const fitting = [{ ...first, name: `é${"x".repeat(missing)}` }, ...others];
      expect(await bodyOf(range, fitting)).toHaveLength(MAX_RESPONSE_BYTES);
      await expect(encodeList(range, [{ ...first, name: `é${"x".repeat(missing + 1)}` }, ...others])).resolves.toEqual({
        refusal: "TOO_MANY_ENTRIES",
        message: "The response would be larger than 4194304 bytes",
        problems: [
          {
            field: "until",
            code: "TOO_MANY",
            message: "must make the window shorter: the response would be larger than 4194304 bytes",
          },
        ],
      });
    },
  );

  test("lets other work run while a long list is encoded", async () => {
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 0);
    const body = await bodyOf(range, events(10_000, "x".repeat(300)));
    clearInterval(counting);
    expect(body.length).toBeGreaterThan(3_000_000);
    expect(turns).toBeGreaterThan(1);
  });

  const ids = Array.from({ length: 1_000 }, (_, at) => String(10n ** 19n + BigInt(at)));
  test.each([
    ["ids", "/v1/announcement/list", { subscribersRole: ids, subscribersUser: ids }],
    ["nested texts", "/v2/events/list/range", { recurrence: { frequency: "DAILY", rrule: "x".repeat(50_000) } }],
  ])("encodes few long entries in slices, too: %s", async (_of, path, entry) => {
    const list = routeAt(path);
    const result = Array.from({ length: 50 }, () => entry);
    const pieces = (await encodeList(list, result)) as readonly Buffer[];
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(150_000);
    expect(Buffer.concat(pieces).toString()).toBe(JSON.stringify(list.encode(result)));
  });

  test("has for every list a field that makes it smaller (D38)", () => {
    const lists = ROUTES.filter(({ responseFields }) => responseFields.some(({ list }) => list !== undefined));
    const without = lists.filter(({ contract }) => contract.narrowing === undefined).map(({ paths }) => paths[0]);
    expect(ROUTES.filter(({ pages }) => pages !== undefined && pages.contract.narrowing === undefined)).toEqual([]);
    const small = ["/v2/calendar/list", "/v2/calendar/feeds/list", "/v2/changes", "/v2/webhooks/list"];
    expect([lists.length, without]).toEqual([18, small]);
  });
});
