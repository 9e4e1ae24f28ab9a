import { describe, expect, test } from "@jest/globals";
import { OWNERS } from "../contracts/service-names.ts";
import { pathsOf, ROUTES } from "./route-table.ts";

const byPath = ROUTES.map((route) => [route.paths[0], route] as const);

describe("the route table", () => {
  test("has no path of two endpoints, and each path also under /api (D2)", () => {
    const paths = ROUTES.flatMap(pathsOf);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths.filter((path) => path.startsWith("/api/"))).toHaveLength(paths.length / 2);
  });

  test("has the endpoints of api.md with the aliases of D2, and those for posts, calendars (D22), feeds (D47), changes (D48), the search (D49) and keys", () => {
    expect(ROUTES.flatMap(({ paths }) => paths).toSorted()).toEqual(
      [
        ...["get", "create", "update", "delete", "list", "upcoming", "history", "preview"].map(
          (it) => `/v1/announcement/${it}`,
        ),
        ...["get", "update"].flatMap((it) => [`/v1/guild/settings/${it}`, `/v1/settings/${it}`]),
        ...["get", "update"].map((it) => `/v2/guild/settings/${it}`),
        ...["get", "create", "update", "delete"].flatMap((it) => [`/v2/events/${it}`, `/v2/event/${it}`]),
        "/v2/events/search",
        ...["get", "update", "list", "follow", "follow/get", "unfollow"].map((it) => `/v2/calendar/${it}`),
        ...["create", "list", "rotate", "revoke"].map((it) => `/v2/calendar/feeds/${it}`),
        "/v2/changes",
        "/v2/plan/diff",
        "/v2/plan/preview",
        ...["create", "get", "update", "delete", "list", "deliveries", "redeliver", "missed", "rotate"].map(
          (it) => `/v2/webhooks/${it}`,
        ),
        ...["month", "date", "range", "ongoing"].map((it) => `/v2/events/list/${it}`),
        ...["create", "list", "audit", "rotate", "revoke"].map((it) => `/admin/keys/${it}`),
      ].toSorted(),
    );
  });

  test("has a guild in every endpoint that accepts an Idempotency-Key, since the keys of a guild are counted", () => {
    const creates = ROUTES.filter((route) => route.acceptsIdempotencyKey);
    expect(creates).not.toEqual([]);
    expect(creates.filter(({ contract }) => !("guildId" in contract.params))).toEqual([]);
  });

  test.each(byPath)("%s: the request of its example passes its check", (_path, route) => {
    expect(route.check(route.decode(route.example.request))).toEqual([]);
  });

  test.each(byPath)(
    "%s: its response fields are those of its example, in order",
    (_path, { responseFields, example }) => {
      expect(responseFields.map(({ wire }) => wire)).toEqual(expect.arrayContaining(Object.keys(example.response)));
      const always = responseFields.filter(({ optional }) => optional !== true).map(({ wire }) => wire);
      expect(Object.keys(example.response).filter((wire) => always.includes(wire))).toEqual(always);
    },
  );

  test.each(byPath)("%s: every field becomes a param", (_path, { shape, fields }) => {
    expect(Object.keys(shape.params)).toEqual(expect.arrayContaining(fields.map(({ param }) => param)));
  });

  test.each(byPath)(
    "%s: its guild field becomes the guild of the call (D3), and its action belongs to a service with health checks",
    (_path, route) => {
      const { guildId } = { guildId: "none", ...route.decode({ guild_id: 5 }) };
      expect(guildId).toBe(route.contract.keys.startsWith("guild") ? "5" : "none");
      expect([...OWNERS, "api"]).toContain(route.contract.name.split(".")[0]);
    },
  );

  test("allows reads with a read-only key, and reads may be retried", () => {
    const reads =
      /\/(?:get|list|audit|upcoming|history|preview|month|date|range|ongoing|changes|search|deliveries|missed|diff)$/;
    const toRead = byPath.filter(([, { contract }]) => contract.keys.endsWith("read"));
    expect(byPath.filter(([path]) => reads.test(path))).toEqual(toRead);
    expect(toRead.filter(([, { contract }]) => !contract.idempotent)).toEqual([]);
  });

  test("accepts If-Match for every update and delete of an event, announcement, calendar or settings, and for nothing else (D36)", () => {
    const taking = byPath.filter(([, { acceptsIfMatch }]) => acceptsIfMatch).map(([path]) => path);
    expect(taking).toEqual(byPath.map(([path]) => path).filter((path) => /\/(?:update|delete)$/.test(path)));
  });

  test("returns an ETag for every get, create and update of them, and for nothing else (D36)", () => {
    const tagged = byPath.filter(([, { hasEtag }]) => hasEtag).map(([path]) => path);
    const single = /^\/v\d\/(?!calendar\/(?:feeds|follow)).*\/(?:get|create|update)$/;
    expect(tagged).toEqual(byPath.map(([path]) => path).filter((path) => single.test(path)));
  });

  test("has no action that is for internal calls only", () => {
    expect(byPath.filter(([, { contract }]) => contract.keys === "none")).toEqual([]);
  });
});
