import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "@jest/globals";
import type { GuildId } from "../../contracts/ids.ts";
import type { Feed } from "../domain/feed.ts";
import { generateKey, newKeyId } from "../keys/key-digests.ts";
import { FEED_PREFIX } from "../keys/key-text.ts";
import { clientAddress } from "../rates/client-address.ts";
import { GatewayRates, NO_LIMITS, type RateSettings } from "../rates/gateway-rates.ts";
import { feedAdmission } from "./feed-admission.ts";
import { feedAuthenticator } from "./feed-authenticator.ts";

const HOUR = 3_600_000;
const hashing = { pepper: "a pepper of thirty-two characters", env: "test" };

function newFeed(guildId = "1") {
  const id = newKeyId(hashing.pepper);
  const { key: token, secret } = generateKey(hashing, id, FEED_PREFIX);
  const feed: Feed = { id, guildId: guildId as GuildId, calendarNumber: 1, label: "", createdAt: 1, secret };
  return { token, feed };
}

/** An authenticator with feeds in memory, and its calls of the store. */
function authenticatorOf(...feeds: readonly Feed[]) {
  const stored = new Map(feeds.map((feed) => [feed.id, feed]));
  const clock = { now: 10 * HOUR };
  const reads: string[] = [];
  const uses: (readonly [string, number])[] = [];
  const store = {
    find: async (id: string) => (reads.push(id), stored.get(id) ?? null),
    recordUse: async (id: string, at: number) => void uses.push([id, at]),
  };
  const onError = (error: unknown) => {
    throw error;
  };
  const authenticator = feedAuthenticator({ store, hashing, clock: () => clock.now, onError });
  return { authenticator, stored, clock, reads, uses };
}

describe("a feed token", () => {
  test("gives access to its feed, and is queried once in four seconds", async () => {
    const { token, feed } = newFeed();
    const { authenticator, clock, reads } = authenticatorOf(feed);
    const both = await Promise.all([authenticator.authenticate(token), authenticator.authenticate(token)]);
    expect([both, reads.length]).toEqual([[feed, feed], 1]);
    clock.now += 3_999;
    await authenticator.authenticate(token);
    expect(reads).toHaveLength(1);
    clock.now += 2;
    await authenticator.authenticate(token);
    expect(reads).toHaveLength(2);
  });

  test("that was replaced or revoked is refused within five seconds, and at once by the gateway that made the change", async () => {
    const { token, feed } = newFeed();
    const { authenticator, stored, clock } = authenticatorOf(feed);
    await authenticator.authenticate(token);
    stored.set(feed.id, { ...feed, secret: newFeed().feed.secret });
    clock.now += 5_000;
    expect(await authenticator.authenticate(token)).toBeUndefined();
    stored.delete(feed.id);
    authenticator.forget(feed.id);
    expect(await authenticator.authenticate(token)).toBeUndefined();
  });

  test("that was invented is refused without a query", async () => {
    const { token, feed } = newFeed();
    const { authenticator, reads } = authenticatorOf(feed);
    const other = newFeed();
    const wrong = ["", "x", token.slice(0, -1), token.replace("gcf_", "gc_"), token.replace("_test_", "_live_")];
    for (const text of [...wrong, generateKey(hashing, "0123456789abcdef0123", FEED_PREFIX).key]) {
      expect(await authenticator.authenticate(text)).toBeUndefined();
    }
    expect(reads).toEqual([]);
    expect(await authenticator.authenticate(other.token)).toBeUndefined();
    expect(reads).toEqual([other.feed.id]);
  });

  test("with the id of a feed and another secret is refused", async () => {
    const { feed } = newFeed();
    const { authenticator } = authenticatorOf(feed);
    expect(await authenticator.authenticate(generateKey(hashing, feed.id, FEED_PREFIX).key)).toBeUndefined();
  });

  test("has its use recorded once an hour", async () => {
    const { token, feed } = newFeed();
    const { authenticator, clock, uses } = authenticatorOf(feed);
    for (const later of [0, 10, 4_000, HOUR]) {
      clock.now += later;
      await authenticator.authenticate(token);
    }
    expect(uses).toEqual([
      [feed.id, 10 * HOUR],
      [feed.id, 11 * HOUR],
    ]);
  });

  test("is queried again after an error of the store", async () => {
    const { token, feed } = newFeed();
    let isDown = true;
    const find = async () => {
      if (isDown) throw new Error("down");
      return feed;
    };
    const store = { find, recordUse: async () => undefined };
    const authenticator = feedAuthenticator({ store, hashing, onError: () => undefined });
    await expect(authenticator.authenticate(token)).rejects.toThrow("down");
    isDown = false;
    expect(await authenticator.authenticate(token)).toEqual(feed);
  });
});

describe("a request of a feed", () => {
  const from = (address: string) => ({ headers: {}, socket: { remoteAddress: address } }) as unknown as IncomingMessage;

  function admissionWith(limits: Partial<RateSettings>) {
    const { token, feed } = newFeed();
    const rates = new GatewayRates({ ...NO_LIMITS, ...limits });
    const { authenticator } = authenticatorOf(feed);
    return { token, feed, rates, admit: feedAdmission(authenticator, rates, clientAddress([]), () => 1_000) };
  }

  test("with a wrong token counts as a failed key of its address, and a valid token is still accepted", async () => {
    const { token, feed, rates, admit } = admissionWith({ failedKeysPerAddress: 3 });
    rates.failures.take("10.0.0.1", 1_000);
    const responses = [];
    for (let at = 0; at < 3; at += 1) responses.push(await admit(from("10.0.0.1"), "wrong"));
    expect(responses).toMatchObject([
      { refusal: { refusal: "FEED_NOT_FOUND" } },
      { refusal: { refusal: "FEED_NOT_FOUND" } },
      { refusal: { refusal: "TOO_MANY_REQUESTS" }, headers: { "retry-after": expect.any(String) } },
    ]);
    expect(await admit(from("10.0.0.2"), "wrong")).toMatchObject({ refusal: { refusal: "FEED_NOT_FOUND" } });
    expect(await admit(from("10.0.0.1"), token)).toEqual({ feed, address: "10.0.0.1" });
  });

  test("has the rate limit of a guild, and does not count towards that of the guild's keys", async () => {
    const { token, feed, rates, admit } = admissionWith({ perGuild: 2 });
    const responses = [];
    for (let at = 0; at < 3; at += 1) responses.push(await admit(from("10.0.0.1"), token));
    expect(responses).toMatchObject([{ feed }, { feed }, { refusal: { refusal: "TOO_MANY_REQUESTS" } }]);
    expect(rates.guilds.take(feed.guildId, 1_000).waitMs).toBe(0);
  });
});
