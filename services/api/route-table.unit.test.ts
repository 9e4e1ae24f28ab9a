import { describe, expect, test } from "@jest/globals";
import { perText } from "../contracts/calendar-events.contract.ts";
import type { EventId } from "../contracts/ids.ts";
import { OWNERS } from "../contracts/service-names.ts";
import { encodeFields } from "./wire/response-fields.ts";
import { pathsOf, ROUTES } from "./route-table.ts";
import { event } from "./v2/events.wire.ts";

const byPath = ROUTES.map((route) => [route.paths[0], route] as const);

/** Settings that one version has and the other has not (api.md 9). */
const OF_THE_OTHER_VERSION: Record<string, string[]> = {
  "/v1/guild/settings/update": ["twelveHour", "branded"],
  "/v2/guild/settings/update": ["serviceChannel"],
};

describe("the route table", () => {
  test("no path leads to two endpoints, and each is there under /api too (D2)", () => {
    const paths = ROUTES.flatMap(pathsOf);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths.filter((path) => path.startsWith("/api/"))).toHaveLength(paths.length / 2);
  });

  test("has the endpoints of api.md, with D2's aliases, and ours: posts, calendars (D22), feeds (D47) and keys", () => {
    expect(ROUTES.flatMap(({ paths }) => paths).toSorted()).toEqual(
      [
        ...["get", "create", "update", "delete", "list", "upcoming", "history", "preview"].map(
          (it) => `/v1/announcement/${it}`,
        ),
        ...["get", "update"].flatMap((it) => [`/v1/guild/settings/${it}`, `/v1/settings/${it}`]),
        ...["get", "update"].map((it) => `/v2/guild/settings/${it}`),
        ...["get", "create", "update", "delete"].flatMap((it) => [`/v2/events/${it}`, `/v2/event/${it}`]),
        ...["get", "update", "list"].map((it) => `/v2/calendar/${it}`),
        ...["create", "list", "rotate", "revoke"].map((it) => `/v2/calendar/feeds/${it}`),
        ...["month", "date", "range", "ongoing"].map((it) => `/v2/events/list/${it}`),
        ...["create", "list", "audit", "rotate", "revoke"].map((it) => `/admin/keys/${it}`),
      ].toSorted(),
    );
  });

  test.each(byPath)("%s: its example is a request that passes its check", (_path, route) => {
    expect(route.check(route.decode(route.example.request))).toEqual([]);
  });

  test.each(byPath)(
    "%s: its answer's fields are those of its example, in their order",
    (_path, { answer, example }) => {
      expect(answer.map(({ wire }) => wire)).toEqual(expect.arrayContaining(Object.keys(example.response)));
      const always = answer.filter(({ optional }) => optional !== true).map(({ wire }) => wire);
      expect(Object.keys(example.response).filter((wire) => always.includes(wire))).toEqual(always);
    },
  );

  test.each(byPath)("%s: every field becomes a param of its check, and every param has a field", (path, route) => {
    const params = Object.keys(route.shape.params);
    const filled = route.fields.map(({ param }) => param);
    expect(filled.filter((param) => !params.includes(param))).toEqual([]);
    const ofTheHeaders = route.takesIfMatch ? ["ifRevision"] : [];
    expect(params.filter((param) => !filled.includes(param))).toEqual([
      ...(OF_THE_OTHER_VERSION[path] ?? []),
      ...ofTheHeaders,
    ]);
  });

  test.each(byPath)(
    "%s: a guild's field leads to its guild (D3), and its action to a service that is watched",
    (_path, route) => {
      const { guildId } = { guildId: "none", ...route.decode({ guild_id: 5 }) };
      expect(guildId).toBe(route.contract.keys.startsWith("guild") ? "5" : "none");
      expect([...OWNERS, "api"]).toContain(route.contract.name.split(".")[0]);
    },
  );

  test("a read-only key opens what reads, and what reads may be asked again", () => {
    const reads = /\/(?:get|list|audit|upcoming|history|preview|month|date|range|ongoing)$/;
    const toRead = byPath.filter(([, { contract }]) => contract.keys.endsWith("read"));
    expect(byPath.filter(([path]) => reads.test(path))).toEqual(toRead);
    expect(toRead.filter(([, { contract }]) => !contract.idempotent)).toEqual([]);
  });

  test("every update and delete of an event, announcement, calendar or settings takes If-Match, and nothing else (D36)", () => {
    const taking = byPath.filter(([, { takesIfMatch }]) => takesIfMatch).map(([path]) => path);
    expect(taking).toEqual(byPath.map(([path]) => path).filter((path) => /\/(?:update|delete)$/.test(path)));
  });

  test("every get, create and update of them answers an ETag, and nothing else (D36)", () => {
    const tagged = byPath.filter(([, { hasEtag }]) => hasEtag).map(([path]) => path);
    const single = /^\/v\d\/(?!calendar\/feeds).*\/(?:get|create|update)$/;
    expect(tagged).toEqual(byPath.map(([path]) => path).filter((path) => single.test(path)));
  });

  test("leads to nothing that is for calls from inside", () => {
    expect(byPath.filter(([, { contract }]) => contract.keys === "none")).toEqual([]);
  });

  test("every text of an event is answered", () => {
    const view = {
      eventId: "e" as EventId,
      startsAt: 0,
      endsAt: 1,
      isParent: false,
      color: "NONE",
      recurs: false,
    } as const;
    const answered = encodeFields(event, { ...view, ...perText((text) => `a ${text}`) });
    expect(answered).toMatchObject(perText((text) => `a ${text}`));
  });
});
