import { describe, expect, test } from "@jest/globals";
import type { Caller, KeyRule } from "../../services/contracts/contract.ts";
import { mayCall } from "./may-call.ts";

const RULES: readonly KeyRule[] = ["guild read", "guild write", "operator read", "operator write", "none"];

function rulesOpenTo(caller: Caller | undefined, params: object = { guildId: "1" }): KeyRule[] {
  return RULES.filter((keys) => mayCall({ keys }, params, caller));
}

const key = (kind: Caller["kind"], access: Caller["access"], ...guilds: string[]): Caller => ({
  keyId: "k",
  kind,
  access,
  guilds,
});

describe("who may call", () => {
  test.each([
    ["a guild's key", key("guild", "write", "2", "1"), ["guild read", "guild write"]],
    ["a guild's key to read", key("guild", "read", "1"), ["guild read"]],
    ["another guild's key", key("guild", "write", "2"), []],
    ["a key of no guild", key("guild", "write"), []],
    ["a service's key", key("service", "write"), ["guild read", "guild write"]],
    ["a service's key to read", key("service", "read"), ["guild read"]],
    ["an operator's key", key("operator", "write"), ["guild read", "guild write", "operator read", "operator write"]],
    ["an operator's key to read", key("operator", "read"), ["guild read", "operator read"]],
    ["a call from inside", undefined, RULES],
  ] as const)("%s gives access only to the actions and guilds that it was created for (D3)", (_name, caller, rules) => {
    expect(rulesOpenTo(caller)).toEqual(rules);
  });

  test("a key for guilds gives no access to params without a guild", () => {
    expect(rulesOpenTo(key("service", "write"), {})).toEqual([]);
    expect(rulesOpenTo(key("guild", "write", "1"), { guildId: ["1"] })).toEqual([]);
  });
});
