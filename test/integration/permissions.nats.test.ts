import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ROUTES } from "../../services/api/route-table.ts";
import type { Route } from "../../services/api/route.ts";
import { createKey, revokeKey } from "../../services/contracts/api-keys.contract.ts";
import type { GuildId } from "../../services/contracts/ids.ts";
import { KEY_NAMES, type KeyName, KEYS, MAY } from "../harness/key-matrix.ts";
import { startTestGateway, type TestGateway, untilReady } from "../harness/test-gateway.ts";
import { until } from "../harness/until.ts";
import { everyOwner } from "../harness/every-owner.ts";

const OWN = "375357265198317579" as GuildId;
const OTHER = "375357265198317580" as GuildId;

/**
 * Each route with each kind of key, for the key's own guild and for another one. No route refuses another guild's channel:
 * foreign-channels.nats.test.ts shows that no post goes there (D35).
 */
describe("the permissions of keys (D3)", () => {
  let gateway: TestGateway;
  const keys = new Map<string, string>();
  /** An event, a series and an announcement of each guild. */
  const things = new Map<string, { readonly event: string; readonly announcement: string }>();

  beforeAll(async () => {
    gateway = await startTestGateway(everyOwner);
    await untilReady(gateway);
    for (const [name, key] of Object.entries(KEYS)) keys.set(name, await makeKey(key));
    keys.set("revoked", await makeKey(KEYS["guild, to write"], { revoke: true }));
    keys.set("expired", await makeKey(KEYS["guild, to write"], { expiresAt: Date.now() + 2_000 }));
    for (const guild of [OWN, OTHER]) things.set(guild, await makeThings(guild));
    const ended = async () => (await ask(ROUTES[0]!, keys.get("expired")!, {})).status === 401;
    await until(ended, "the key has expired");
  });
  afterAll(() => gateway.stop());

  async function makeKey(
    key: (typeof KEYS)[KeyName],
    { revoke = false, ...more }: { revoke?: boolean; expiresAt?: number } = {},
  ): Promise<string> {
    const guilds = key.kind === "guild" ? { guilds: [OWN] } : {};
    const made = await gateway.call(createKey, { ...key, ...guilds, label: "matrix", ...more });
    if (revoke) await gateway.call(revokeKey, { id: made.id });
    return made.key;
  }

  async function makeThings(guild: string) {
    const example = (path: string) => ROUTES.find(({ paths }) => paths[0] === path)!.example.request;
    const event = await gateway.post("/v2/events/create", { ...example("/v2/events/create"), guild_id: guild });
    const { event_id: _, ...fields } = example("/v1/announcement/create");
    const made = { ...fields, guild_id: guild, type: "UNIVERSAL" };
    const announcement = await gateway.post("/v1/announcement/create", made);
    return { event: String(event.body["id"]), announcement: String(announcement.body["id"]) };
  }

  /** The route's example for a guild, with ids of records of that guild or of another one. */
  function bodyOf({ paths: [path], example }: Route, guild: string, ids: { event: string; announcement: string }) {
    const body: Record<string, unknown> = { ...example.request };
    if ("guild_id" in body) body["guild_id"] = guild;
    if ("event_id" in body) body["event_id"] = ids.event;
    if ("id" in body && path.startsWith("/v1/announcement")) body["id"] = ids.announcement;
    return body;
  }

  function ask({ paths: [path] }: Route, key: string, body: object, headers: Record<string, string> = {}) {
    return gateway.post(path, body, { authorization: key, ...headers });
  }

  const byPath = ROUTES.map((route) => [route.paths[0], route] as const);

  describe.each(byPath)("%s", (_path, route) => {
    const may = MAY[route.contract.keys];

    test("has a rule", () => {
      expect(may.own.length).toBeGreaterThan(0);
    });

    test.each(KEY_NAMES)("a key of a %s", async (name) => {
      const access = async (guild: GuildId) => {
        const { status, body } = await ask(route, keys.get(name)!, bodyOf(route, guild, things.get(guild)!));
        return { isLetIn: status !== 401 && status !== 403, isForbidden: body["code"] === "FORBIDDEN" };
      };
      const expected = (isLetIn: boolean) => ({ isLetIn, isForbidden: !isLetIn });
      await expect(access(OTHER)).resolves.toEqual(expected(may.other.includes(name)));
      await expect(access(OWN)).resolves.toEqual(expected(may.own.includes(name)));
    });

    test.each(["revoked", "expired"])("a key that is %s", async (name) => {
      const response = await ask(route, keys.get(name)!, bodyOf(route, OWN, things.get(OWN)!));
      expect(response).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
    });
  });

  const naming = ROUTES.filter(({ example, contract }) => {
    const names = Object.keys(example.request);
    return contract.keys.startsWith("guild") && (names.includes("event_id") || names.includes("id"));
  });

  test("there are routes with ids of a guild's objects", () => {
    expect(naming.length).toBeGreaterThan(6);
  });

  test.each(naming.map((route) => [route.paths[0], route] as const))(
    "%s has the same response for another guild's object and for a missing one",
    async (_path, route) => {
      const foreign = await makeThings(OTHER);
      const unknown = { event: `e${"0".repeat(25)}`, announcement: "00000000-0000-4000-8000-000000000000" };
      const sameRequest = { "x-request-id": "the-same" };
      const key = keys.get("guild, to write")!;
      const responses = await Promise.all(
        [foreign, unknown].map((ids) => ask(route, key, bodyOf(route, OWN, ids), sameRequest)),
      );
      const [one, other] = responses.map(({ status, text, headers }) => [status, text, [...headers.keys()]]);
      expect(one).toEqual(other);
      expect(responses[0]!.text).not.toContain(foreign.announcement);
    },
  );
});
