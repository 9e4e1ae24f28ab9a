import { describe, expect, test } from "@jest/globals";
import { readEnvironment } from "../settings/environment.ts";
import { isInNetworks, type PrivateNetworks, privateNetworksSetting } from "./private-networks.ts";

const TABLE = { ALLOWED: privateNetworksSetting("private addresses") };

function allowedBy(text: string): PrivateNetworks {
  return readEnvironment({ ALLOWED: text }, TABLE).ALLOWED;
}

describe("a setting of private networks", () => {
  test("allows none by default, and all with yes", () => {
    expect([allowedBy(""), allowedBy("no"), allowedBy("YES")]).toEqual([false, false, true]);
    expect(isInNetworks("127.0.0.1", true)).toBe(true);
    expect(isInNetworks("127.0.0.1", false)).toBe(false);
  });

  test.each([
    ["127.0.0.1", "127.0.0.1", "127.0.0.2"],
    ["10.1.0.0/16", "10.1.255.255", "10.2.0.0"],
    ["10.1.0.0/16, 192.168.1.7", "192.168.1.7", "192.168.1.8"],
    ["fd00::/8", "fdff::1", "fe80::1"],
    ["::1", "::1", "127.0.0.1"],
    ["0.0.0.0/0", "169.254.169.254", "::1"],
  ])("%p allows %s, and not %s", (text, inside, outside) => {
    expect([isInNetworks(inside, allowedBy(text)), isInNetworks(outside, allowedBy(text))]).toEqual([true, false]);
  });

  test.each([
    "maybe",
    "10.0.0.0/33",
    "::/129",
    "10.0.0.0/8/8",
    "10.0.0.0/",
    "10.0.0.0/-1",
    "10.0.0",
    "10.0.0.1,",
    "x/8",
  ])("refuses %p", (text) => {
    expect(() => allowedBy(text)).toThrow("ALLOWED must be no, yes, or networks separated by commas, such as");
  });
});
