import type { LookupAddress } from "node:dns";
import { BlockList } from "node:net";
import { describe, expect, test } from "@jest/globals";
import type { PrivateNetworks } from "./private-networks.ts";
import { guardedLookup, isAllowedLiteral, isAllowedUrl, isPublicAddress } from "./target-guard.ts";

describe("the check for public addresses", () => {
  test.each(["1.1.1.1", "8.8.8.8", "172.15.0.1", "172.32.0.1", "100.63.0.1", "2606:4700::1111", "2a00:1450::1"])(
    "accepts %s",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  test.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12:3456::1",
    "ff02::1",
    "2001:db8::1",
    "2001::7f00:1",
    "2002:7f00:1::",
    "localhost",
    "",
  ])("refuses %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe("a host that is an IP address", () => {
  test.each([
    "https://127.0.0.1/",
    "https://127.1/",
    "https://0x7f000001/",
    "https://2130706433/",
    "https://017700000001/",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://169.254.169.254/latest/meta-data",
  ])("such as %s is refused unless private targets are allowed", (url) => {
    expect(isAllowedLiteral(new URL(url), false)).toBe(false);
    expect(isAllowedLiteral(new URL(url), true)).toBe(true);
  });

  test("that is public requires https", () => {
    expect(isAllowedLiteral(new URL("https://1.1.1.1/"), false)).toBe(true);
    expect(isAllowedLiteral(new URL("http://1.1.1.1/"), true)).toBe(false);
  });

  test("is checked before the request, and a name when it is resolved", () => {
    expect(isAllowedLiteral(new URL("https://localhost/"), false)).toBe(true);
  });
});

interface LookupOptions {
  readonly protocol?: string;
  readonly allowPrivate?: PrivateNetworks;
  readonly all?: boolean;
}

function lookup(
  addresses: LookupAddress[],
  { protocol = "https:", allowPrivate = false, all = true }: LookupOptions = {},
) {
  const guarded = guardedLookup(protocol, allowPrivate, (_name, done) => done(null, addresses));
  return new Promise((resolve) => {
    guarded("example.com", { all }, (error, address, family) => resolve(error?.code ?? { address, family }));
  });
}

const LOOPBACK = { address: "127.0.0.1", family: 4 };
const PUBLIC = { address: "1.1.1.1", family: 4 };
const PUBLIC_V6 = { address: "2606:4700::1111", family: 6 };

describe("a host name", () => {
  test("is connected to at the checked addresses", async () => {
    expect(await lookup([PUBLIC, PUBLIC_V6])).toEqual({ address: [PUBLIC, PUBLIC_V6], family: undefined });
    expect(await lookup([PUBLIC_V6, PUBLIC], { all: false })).toEqual(PUBLIC_V6);
  });

  test("is refused if any of its addresses is private", async () => {
    expect(await lookup([LOOPBACK])).toBe("TARGET_REFUSED");
    expect(await lookup([PUBLIC, LOOPBACK])).toBe("TARGET_REFUSED");
    expect(await lookup([PUBLIC, LOOPBACK], { all: false })).toBe("TARGET_REFUSED");
  });

  test("is refused without https if any of its addresses is public", async () => {
    expect(await lookup([LOOPBACK, PUBLIC], { protocol: "http:", allowPrivate: true })).toBe("TARGET_REFUSED");
    expect(await lookup([LOOPBACK], { protocol: "http:", allowPrivate: true })).toMatchObject({ address: [LOOPBACK] });
  });

  test("is refused if any of its private addresses is in none of the allowed networks", async () => {
    const networks = new BlockList();
    networks.addSubnet("10.0.0.0", 8, "ipv4");
    const inside = { address: "10.1.2.3", family: 4 };
    expect(await lookup([inside, PUBLIC], { allowPrivate: networks })).toMatchObject({ address: [inside, PUBLIC] });
    expect(await lookup([inside, LOOPBACK], { allowPrivate: networks })).toBe("TARGET_REFUSED");
    expect(isAllowedUrl("http://10.1.2.3/", networks)).toBe(true);
    expect(isAllowedUrl("http://127.0.0.1/", networks)).toBe(false);
    expect(isAllowedUrl("http://1.1.1.1/", networks)).toBe(false);
  });

  test("is refused without an address", async () => {
    expect(await lookup([])).toBe("TARGET_REFUSED");
  });

  test("that can't be resolved fails with the resolver's error", async () => {
    const guarded = guardedLookup("https:", false, (_name, done) =>
      done(Object.assign(new Error("no"), { code: "ENOTFOUND" }), []),
    );
    const code = await new Promise((resolve) => {
      guarded("example.com", { all: true }, (error) => resolve(error?.code));
    });
    expect(code).toBe("ENOTFOUND");
  });
});
