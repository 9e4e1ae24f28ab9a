import { describe, expect, test } from "@jest/globals";
import type { IncomingMessage } from "node:http";
import type { Caller } from "../../contracts/contract.ts";
import { clientAddress, isNetwork } from "./client-address.ts";
import { encodeKey, MALFORMED_KEY } from "../keys/key-text.ts";
import { admission, type Rejected } from "./admission.ts";
import { GatewayRates, NO_LIMITS } from "./gateway-rates.ts";
import { rateHeaders, retryAfter } from "./rate-headers.ts";
import { RateLimit } from "./rate-limit.ts";

const MINUTE = 60_000;
const START = 1_000 * MINUTE;

describe("a rate limit", () => {
  const policy = { name: "key", limit: 3, windowMs: MINUTE };

  test("admits its number of requests for each client, and further ones as the window slides", () => {
    const limit = new RateLimit(policy);
    const taken = (of: string, at: number) => limit.take(of, at).waitMs === 0;
    expect([1, 2, 3, 4].map(() => taken("a", START))).toEqual([true, true, true, false]);
    expect(taken("b", START)).toBe(true);
    const { waitMs } = limit.take("a", START);
    expect([taken("a", START + waitMs - 1), taken("a", START + waitMs)]).toEqual([false, true]);
    expect(taken("a", START + waitMs)).toBe(false);
  });

  test("of 0 limits nothing, and is not in the headers", () => {
    const limit = new RateLimit({ ...policy, limit: 0 });
    const standings = Array.from({ length: 100 }, () => limit.take("a", START));
    expect(standings.filter(({ waitMs }) => waitMs > 0)).toEqual([]);
    expect(rateHeaders(standings)).toEqual({});
  });

  test("is in the headers of the IETF draft, in seconds that are rounded up", () => {
    const limit = new RateLimit(policy);
    const first = limit.take("a", START + 500);
    expect(rateHeaders([first])).toEqual({ "ratelimit-policy": '"key";q=3;w=60', ratelimit: '"key";r=2;t=60' });
    expect(retryAfter({ ...first, waitMs: 1_001 })).toEqual({ "retry-after": "2" });
  });

  test("forgets the least recently used client when there are too many", () => {
    const limit = new RateLimit(policy);
    for (let at = 0; at <= 50_000; at += 1) limit.take(`${at}`, START);
    expect([limit.peek("0", START).remaining, limit.peek("50000", START).remaining]).toEqual([3, 2]);
  });
});

describe("the rate limits of several gateways", () => {
  const settings = { ...NO_LIMITS, perKey: 100 };

  test("count the requests that each one admits, and no gateway counts its own twice", () => {
    const [one, other] = [new GatewayRates(settings), new GatewayRates(settings)];
    for (let at = 0; at < 60; at += 1) one.keys.take("k", START);
    const used = one.takeReports(START)!;
    one.addReports(used, START);
    other.addReports(used, START);
    expect([one, other].map(({ keys }) => keys.peek("k", START).remaining)).toEqual([40, 40]);
    expect(one.takeReports(START)).toBeUndefined();
  });

  test("report no use under a fiftieth of the limit", () => {
    const rates = new GatewayRates(settings);
    rates.keys.take("k", START);
    expect(rates.takeReports(START)).toBeUndefined();
    rates.keys.take("k", START);
    expect(rates.takeReports(START)?.reports).toEqual({ key: [{ of: "k", window: START / MINUTE, amount: 2 }] });
  });
});

describe("the address of a client", () => {
  const behind = clientAddress(["10.0.0.0/8", "fd00::/8"]);

  test.each([
    ["its socket says", "203.0.113.9", undefined, "203.0.113.9"],
    ["a header of somebody who is no proxy says nothing", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
    ["a trusted proxy says", "10.1.2.3", "198.51.100.1", "198.51.100.1"],
    ["the last that is no proxy of ours says", "10.1.2.3", "6.6.6.6, 198.51.100.1, 10.9.9.9", "198.51.100.1"],
    ["not a text that is no address", "10.1.2.3", "unknown", "10.1.2.3"],
    ["proxies alone", "10.1.2.3", "10.4.5.6", "10.1.2.3"],
    ["an IPv4 address in an IPv6 one", "::ffff:10.1.2.3", "198.51.100.1", "198.51.100.1"],
    ["the network of an IPv6 address", "2001:db8:1:2:3:4:5:6", undefined, "2001:db8:1:2::/64"],
    ["the same, written short", "fd00::1", "2001:DB8:1:2::9", "2001:db8:1:2::/64"],
    ["loopback", "::1", undefined, "0:0:0:0::/64"],
  ])("%s", (_name, socket, forwarded, address) => {
    expect(behind(socket, forwarded)).toBe(address);
  });

  test.each([
    ["10.0.0.0/8", true],
    ["::1", true],
    ["fd00::/64", true],
    ["10.0.0.0/33", false],
    ["fd00::/129", false],
    ["10.0.0.0/8/8", false],
    ["proxy.example", false],
    ["", false],
  ])("%p as a network: %p", (text, expected) => {
    expect(isNetwork(text)).toBe(expected);
  });
});

describe("the admission of a request", () => {
  const caller: Caller = { keyId: "k", kind: "guild", access: "read", guilds: ["1"] };
  const request = (authorization: string, remoteAddress = "203.0.113.9") =>
    ({
      headers: { authorization, "x-forwarded-for": "6.6.6.6" },
      socket: { remoteAddress },
    }) as unknown as IncomingMessage;

  function admissionWith(settings: object) {
    const authentications: [key: string, mayLookUp: boolean | undefined][] = [];
    const authenticate = async (key: string, mayLookUp?: () => boolean) => {
      authentications.push([key, mayLookUp?.()]);
      return key === "good" ? caller : undefined;
    };
    const rates = new GatewayRates({ ...NO_LIMITS, ...settings });
    return { authentications, underTest: admission({ authenticate }, rates, clientAddress([]), () => START) };
  }

  test("refuses a key over its limit, with the headers of the limit in either case", async () => {
    const { underTest } = admissionWith({ perKey: 1 });
    await expect(underTest.admit(request("good"))).resolves.toMatchObject({ caller, standings: [{ remaining: 0 }] });
    await expect(underTest.admit(request("good"))).resolves.toEqual({
      refusal: { refusal: "TOO_MANY_REQUESTS" },
      headers: { "ratelimit-policy": '"key";q=1;w=60', ratelimit: '"key";r=0;t=60', "retry-after": "120" },
    });
  });

  test("counts the requests of a guild over all keys", () => {
    const { underTest } = admissionWith({ perGuild: 1 });
    expect(underTest.admitToGuild("1", { caller, standings: [] })).toMatchObject({ caller });
    const other = { ...caller, keyId: "other" };
    expect(underTest.admitToGuild("1", { caller: other, standings: [] })).toMatchObject({
      refusal: { refusal: "TOO_MANY_REQUESTS" },
    });
    expect(underTest.admitToGuild("2", { caller, standings: [] })).toMatchObject({ caller });
  });

  test("describes a malformed key in its error, and has one error for all other invalid keys", async () => {
    const { underTest } = admissionWith({});
    const refusalOf = async (key: string) => {
      const { refusal, headers } = (await underTest.admit(request(key))) as Rejected;
      return [refusal.refusal, refusal.message, headers["www-authenticate"]];
    };
    const invalid = 'Bearer realm="guildcal", error="invalid_token"';
    const whole = encodeKey({ env: "live", id: "k1", secret: "0".repeat(64) });
    await expect(refusalOf(whole)).resolves.toEqual([
      "UNAUTHORIZED",
      "The API key is unknown, revoked or expired",
      invalid,
    ]);
    await expect(refusalOf(whole.slice(1))).resolves.toEqual(["UNAUTHORIZED", MALFORMED_KEY, invalid]);
  });

  test("refuses invalid keys of an address with 429 after too many failures, and admits valid keys", async () => {
    const { underTest, authentications } = admissionWith({ failedKeysPerAddress: 2 });
    const codes: unknown[] = [];
    for (const key of ["bad", "worse", "worst", "good"]) codes.push(await underTest.admit(request(key)));
    expect(codes).toMatchObject([
      { refusal: { refusal: "UNAUTHORIZED" } },
      { refusal: { refusal: "UNAUTHORIZED" } },
      { refusal: { refusal: "TOO_MANY_REQUESTS" }, headers: { "retry-after": expect.any(String) } },
      { caller },
    ]);
    expect(authentications.map(([, mayLookUp]) => mayLookUp)).toEqual([true, true, false, false]);
    await expect(underTest.admit(request("bad", "203.0.113.10"))).resolves.toMatchObject({
      refusal: { refusal: "UNAUTHORIZED" },
    });
  });
});
