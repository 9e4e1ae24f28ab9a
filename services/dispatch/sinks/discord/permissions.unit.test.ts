import { describe, expect, test } from "@jest/globals";
import { type BotMember, missingPermissions, type Overwrite } from "./permissions.ts";

const VIEW = 1n << 10n;
const SEND = 1n << 11n;
const EMBED = 1n << 14n;
const HISTORY = 1n << 16n;
const MENTION = 1n << 17n;
const IN_THREADS = 1n << 38n;
const ALL = VIEW | SEND | EMBED | HISTORY | MENTION | IN_THREADS;
const GUILD = "1";

function bot(differences: Partial<BotMember> = {}): BotMember {
  return { userId: "7", isOwner: false, roleIds: ["5", "6"], basePermissions: ALL, isTimedOut: false, ...differences };
}

function overwrite(id: string, bits: { allow?: bigint; deny?: bigint }, kind: Overwrite["kind"] = "role"): Overwrite {
  return { id, kind, allow: 0n, deny: 0n, ...bits };
}

function missing(member: BotMember, overwrites: readonly Overwrite[] = [], isThread = false): readonly string[] {
  return missingPermissions(member, GUILD, overwrites, isThread);
}

describe("the missing permissions of a bot", () => {
  test("are computed from the guild's roles in a channel without overwrites", () => {
    expect(missing(bot())).toEqual([]);
    expect(missing(bot({ basePermissions: ALL & ~EMBED }))).toEqual(["EMBED_LINKS"]);
  });

  test("are VIEW_CHANNEL alone if it is missing", () => {
    expect(missing(bot({ basePermissions: SEND }))).toEqual(["VIEW_CHANNEL"]);
  });

  test("follow a role's overwrite before that of @everyone, and the bot's own before both", () => {
    const everyone = overwrite(GUILD, { deny: SEND });
    expect(missing(bot(), [everyone])).toEqual(["SEND_MESSAGES"]);
    expect(missing(bot(), [overwrite("5", { allow: SEND }), everyone])).toEqual([]);
    const own = overwrite("7", { deny: SEND }, "member");
    expect(missing(bot(), [own, overwrite("5", { allow: SEND }), everyone])).toEqual(["SEND_MESSAGES"]);
  });

  test("follow an allowing role before a denying one", () => {
    expect(missing(bot(), [overwrite("6", { allow: SEND }), overwrite("5", { deny: SEND })])).toEqual([]);
  });

  test("ignore overwrites of other roles and members", () => {
    const others = [overwrite("8", { deny: SEND }), overwrite("8", { deny: EMBED }, "member")];
    expect(missing(bot(), others)).toEqual([]);
    expect(missing(bot(), [overwrite("7", { deny: SEND })])).toEqual([]);
    expect(missing(bot(), [overwrite("5", { deny: SEND }, "member")])).toEqual([]);
  });

  test("are none for administrators and the owner", () => {
    const denied = [overwrite(GUILD, { deny: ALL })];
    expect(missing(bot({ basePermissions: 1n << 3n }), denied)).toEqual([]);
    expect(missing(bot({ basePermissions: 0n, isOwner: true }), denied)).toEqual([]);
  });

  test("have SEND_MESSAGES_IN_THREADS instead of SEND_MESSAGES in a thread", () => {
    expect(missing(bot({ basePermissions: ALL & ~SEND }), [], true)).toEqual([]);
    expect(missing(bot({ basePermissions: ALL & ~IN_THREADS }), [], true)).toEqual(["SEND_MESSAGES_IN_THREADS"]);
    expect(missing(bot({ basePermissions: ALL & ~IN_THREADS }))).toEqual([]);
  });

  test("are all but viewing and reading history during a timeout", () => {
    expect(missing(bot({ isTimedOut: true }))).toEqual(["SEND_MESSAGES", "EMBED_LINKS", "MENTION_EVERYONE"]);
  });
});
