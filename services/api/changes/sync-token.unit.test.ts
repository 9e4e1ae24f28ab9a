import { describe, expect, test } from "@jest/globals";
import { paramsCheck } from "../../../mixins/actions/check-params.ts";
import { CHANGE_KINDS, listChanges, MAX_DELIVERED } from "../../contracts/guild-changes.contract.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { FIRST_POSITION, MAX_UNSETTLED, perKind } from "../domain/sync-position.ts";
import { decodeSyncToken, encodeSyncToken, type SyncState } from "./sync-token.ts";

const guildId = "9223372036854775807" as GuildId;
const digest = (n: number) => Buffer.from(String(n).padStart(8, "0")).toString("base64url");
/** The longest id of a record is that of a post. */
const POST_ID = `${"a".repeat(36)}:${"e".repeat(46)}:253402300799999:discord:9007199254740991`;

/** A state with a number of digests for each kind. */
function stateWith(perEach: number): SyncState {
  const delivered = Array.from({ length: perEach }, (_, n) => digest(n));
  const position = perKind(() => ({ at: 253_402_300_799_999, id: POST_ID, delivered }));
  return { guildId, readAt: 253_402_300_799_999, position };
}

describe("a sync token", () => {
  test.each([
    ["the first position", { guildId, readAt: 0, position: FIRST_POSITION }],
    ["a position with delivered revisions", stateWith(3)],
  ])("has the state that it was made of: %s", (_title, state) => {
    expect(decodeSyncToken(encodeSyncToken(state))).toEqual(state);
  });

  test("is never longer than the field accepts, also with the longest ids and all delivered revisions", () => {
    const check = paramsCheck({ params: listChanges.params });
    const longest = encodeSyncToken(stateWith(Math.floor(MAX_DELIVERED / CHANGE_KINDS.length)));
    expect(check({ guildId, syncToken: longest })).toEqual([]);
    expect(encodeSyncToken(stateWith(MAX_UNSETTLED / CHANGE_KINDS.length)).length).toBeLessThan(4_000);
  });

  test("is refused when it was cut, extended or changed, and never fails", () => {
    const token = encodeSyncToken(stateWith(2));
    const others = [
      "",
      "1",
      "1..",
      `2${token.slice(1)}`,
      `${token}.`,
      `${token}A`,
      `${token}AAAAAAAAAAA`,
      token.slice(0, -1),
      token.slice(0, token.lastIndexOf(".")),
      token.slice(0, token.lastIndexOf(".") + 1),
    ];
    expect(others.filter((other) => decodeSyncToken(other) !== undefined)).toEqual([]);
    for (let at = 0; at < token.length; at += 1) {
      const changed = decodeSyncToken(`${token.slice(0, at)}~${token.slice(at + 1)}`);
      expect([at, changed]).toEqual([at, undefined]);
    }
  });

  test.each([
    ["no list", {}],
    ["another guild type", [1, 0, []]],
    ["a missing kind", ["1", 0, [[0, "", 0]]]],
    ["a negative time", ["1", -1, CHANGE_KINDS.map(() => [0, "", 0])]],
    ["a negative count", ["1", 0, CHANGE_KINDS.map(() => [0, "", -1])]],
    ["a fraction", ["1", 0, CHANGE_KINDS.map(() => [0.5, "", 0])]],
    ["a long id", ["1", 0, CHANGE_KINDS.map(() => [0, "x".repeat(201), 0])]],
    ["half a character", ["1", 0, CHANGE_KINDS.map(() => [0, "\ud800", 0])]],
    ["a huge count", ["1", 0, CHANGE_KINDS.map(() => [0, "", 1_000_000_000])]],
    ["nesting", ["1", 0, CHANGE_KINDS.map(() => [[0], "", 0])]],
  ])("with other contents is refused: %s", (_title, contents) => {
    const head = Buffer.from(JSON.stringify(contents)).toString("base64url");
    expect(decodeSyncToken(`1.${head}.`)).toBeUndefined();
  });
});
