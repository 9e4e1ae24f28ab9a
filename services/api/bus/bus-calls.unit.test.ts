import { describe, expect, test } from "@jest/globals";
import { isWriteId, newWriteId } from "../../../mixins/mongo/write-id.ts";
import { listAnnouncements, removeAnnouncement } from "../../contracts/announcements.contract.ts";
import type { ActionContract, CallMeta } from "../../contracts/contract.ts";
import { GatewayRates, NO_LIMITS } from "../rates/gateway-rates.ts";
import { RequestConcurrency } from "../concurrency/request-concurrency.ts";
import { ServiceUnavailable } from "../service-health.ts";
import { type BusCallOptions, busCalls } from "./bus-calls.ts";
import type { BusUser } from "./bus-user.ts";

const GUILD = "375357265198317579";
const ALL = { guildId: GUILD, amount: -1 };
const user: BusUser = { name: "shop-bot", access: "write", guilds: [GUILD], publicKey: "U" };
const list = listAnnouncements as ActionContract<unknown, unknown>;
const remove = removeAnnouncement as ActionContract<unknown, unknown>;

/** Bus calls with the given options, and the calls that reached the owner. */
function callsWith(parts: Partial<BusCallOptions> = {}) {
  const ownerCalls: { readonly params: unknown; readonly meta: CallMeta }[] = [];
  const defects: unknown[] = [];
  const call = busCalls({
    rates: new GatewayRates(NO_LIMITS),
    concurrency: new RequestConcurrency(),
    clock: { now: () => Date.now() },
    isServed: () => true,
    call: async (_contract, params, meta) => void ownerCalls.push({ params, meta }),
    onDefect: (error) => defects.push(error),
    ...parts,
  });
  return { call, ownerCalls, defects };
}

describe("a call of a bus user", () => {
  test("reaches the owner with the user's own permissions, whatever its meta contains", async () => {
    const { call, ownerCalls } = callsWith();
    const forged = {
      caller: { keyId: "k", kind: "operator", access: "write", guilds: [] },
      writeUntil: 9e15,
      requestId: "x",
    };
    await call(user, remove, { guildId: GUILD, id: "a" }, { ...forged, writeId: newWriteId() });
    const [{ meta } = { meta: {} as CallMeta }] = ownerCalls;
    expect(Object.keys(meta).toSorted()).toEqual(["caller", "requestId", "writeId", "writeUntil"]);
    expect(meta.caller).toEqual({ keyId: "bus.shop-bot", kind: "guild", access: "write", guilds: [GUILD] });
    expect(meta.writeUntil).toBeLessThan(Date.now() + 6_000);
    expect([isWriteId(meta.writeId), meta.requestId === "x"]).toEqual([true, false]);
  });

  test("has the kind `service` if the user is for all guilds", async () => {
    const { call, ownerCalls } = callsWith();
    await call({ ...user, guilds: [] }, list, { guildId: "1", amount: 1 }, {});
    expect(ownerCalls).toMatchObject([{ meta: { caller: { kind: "service", guilds: [] } } }]);
  });

  test.each<[string, object, BusUser]>([
    ["FORBIDDEN", { ...ALL, guildId: "1" }, user],
    ["INVALID_REQUEST", { guildId: GUILD }, user],
    ["INVALID_REQUEST", { ...ALL, more: 1 }, user],
    ["INVALID_REQUEST", [] as object, user],
  ])("is refused with %s and never reaches the owner: %p", async (type, params, who) => {
    const { call, ownerCalls } = callsWith();
    await expect(call(who, list, params, {})).rejects.toMatchObject({ type });
    expect(ownerCalls).toEqual([]);
  });

  test("is refused if it writes and the user may only read", async () => {
    const { call, ownerCalls } = callsWith();
    const reader: BusUser = { ...user, access: "read" };
    await expect(call(reader, remove, { guildId: GUILD, id: "a" }, {})).rejects.toMatchObject({ type: "FORBIDDEN" });
    expect(ownerCalls).toEqual([]);
  });

  test("is refused if the user is revoked or its state is unknown", async () => {
    const { call, ownerCalls } = callsWith({ isServed: () => false });
    await expect(call(user, list, ALL, {})).rejects.toMatchObject({ type: "UNAVAILABLE", code: 503 });
    expect(ownerCalls).toEqual([]);
  });

  test.each<[string, object]>([
    ["key", { perKey: 2 }],
    ["guild", { perGuild: 2 }],
  ])("counts against the rate limit of the %s", async (_what, limit) => {
    const { call } = callsWith({ rates: new GatewayRates({ ...NO_LIMITS, ...limit }) });
    await call(user, list, ALL, {});
    await call(user, list, ALL, {});
    await expect(call(user, list, ALL, {})).rejects.toMatchObject({
      type: "TOO_MANY_REQUESTS",
      message: expect.stringMatching(/^Too many requests; try again in \d+ ms$/),
    });
  });

  test("is refused while 256 other calls of the user are running, and accepted afterwards", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { call } = callsWith({ call: () => promise });
    const open: BusUser = { ...user, guilds: [] };
    const begun = Array.from({ length: 256 }, (_, at) => call(open, remove, { guildId: String(at + 1), id: "a" }, {}));
    await expect(call(open, remove, { guildId: "999", id: "a" }, {})).rejects.toMatchObject({
      type: "TOO_MANY_REQUESTS",
    });
    resolve();
    await Promise.all(begun);
    await expect(call(open, remove, { guildId: "999", id: "a" }, {})).resolves.toBeUndefined();
  });

  test("is refused if its response is too large for one message, with the param that makes it smaller", async () => {
    const { call } = callsWith({ call: async () => ["x".repeat(512 * 1024)] });
    await expect(call(user, list, ALL, {})).rejects.toMatchObject({
      type: "TOO_MANY_ENTRIES",
      data: { problems: [{ field: "amount", code: "TOO_MANY", message: expect.stringContaining("524288 bytes") }] },
    });
    const { call: small } = callsWith({ call: async () => ["x".repeat(512 * 1024 - 4)] });
    await expect(small(user, list, ALL, {})).resolves.toHaveLength(1);
  });

  test("that is a list and was slow only because a message was lost does not delay the next one", async () => {
    let [now, lists] = [0, 0];
    const { call } = callsWith({
      concurrency: new RequestConcurrency(() => now),
      call: async (_contract, _params, _meta, onResponse) => {
        lists += 1;
        now += 810;
        onResponse(800);
      },
    });
    await call(user, list, ALL, {});
    const next = call(user, list, ALL, {});
    await new Promise((resolve) => setImmediate(resolve));
    expect(lists).toBe(2);
    await next;
  });

  test("to an unavailable service gets UNAVAILABLE, or OUTCOME_UNKNOWN if a write may have been performed", async () => {
    const { call } = callsWith({ call: () => Promise.reject(new ServiceUnavailable(true)) });
    await expect(call(user, list, ALL, {})).rejects.toMatchObject({ type: "UNAVAILABLE" });
    await expect(call(user, remove, { guildId: GUILD, id: "a" }, {})).rejects.toMatchObject({
      type: "OUTCOME_UNKNOWN",
    });
  });

  test("with an unexpected error gets INTERNAL without the text of the error, which is logged", async () => {
    const { call, defects } = callsWith({ call: () => Promise.reject(new Error("secret")) });
    await expect(call(user, list, ALL, {})).rejects.toMatchObject({ type: "INTERNAL", message: "Internal error" });
    expect(defects).toMatchObject([{ message: "secret" }]);
  });
});
