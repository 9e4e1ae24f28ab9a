import { describe, expect, test } from "@jest/globals";
import { CHANGE_FEED_OVERLAP_MS } from "../../contracts/change-feed.contract.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import { FIRST_POSITION } from "../domain/sync-position.ts";
import { changesReader } from "./changes-reader.ts";
import { encodeSyncToken } from "./sync-token.ts";

const HOUR = 3_600_000;
const NOW = Date.UTC(2030, 0, 10);
const GUILD = "7" as GuildId;
const BACKUP = NOW - 10 * HOUR;
const RESTORE = NOW - 5 * HOUR;

const reader = changesReader({
  call: () => Promise.reject(new Error("nothing is read")),
  now: () => NOW,
  lostWrites: [{ from: BACKUP, until: RESTORE }],
});
const positionAt = (readAt: EpochMs, guildId = GUILD) =>
  reader.positionOf(GUILD, encodeSyncToken({ guildId, readAt, position: FIRST_POSITION }));

describe("a read of some kinds", () => {
  const change = { at: NOW - HOUR, id: "e1", revision: 1, digest: "abcdefghijk", deleted: true };
  const read: string[] = [];
  const ofEvents = changesReader({
    async call({ name }) {
      read.push(name);
      return { delivered: [], changed: [change], settledUntil: NOW, more: false } as never;
    },
    now: () => NOW,
    lostWrites: [],
  });

  test("calls only their owners, and moves the position of every other kind to the time of the read", async () => {
    const page = await ofEvents.read(GUILD, FIRST_POSITION, 10, {}, ["event", "settings"]);
    expect(read.toSorted()).toEqual(["calendar-events.listChanged", "guild-settings.listChanged"]);
    expect(page).toMatchObject({ readAt: NOW, changes: [{ kind: "settings" }, { kind: "event" }] });
    const behindChange = { at: NOW - HOUR, id: "e1", delivered: [] };
    const atRead = { at: NOW, id: "", delivered: [] };
    expect(page.position).toEqual({
      settings: behindChange,
      event: behindChange,
      calendar: atRead,
      announcement: atRead,
      post: atRead,
      webhook: atRead,
    });
  });
});

describe("the position of a sync token", () => {
  test.each([
    ["before the backup", BACKUP - CHANGE_FEED_OVERLAP_MS],
    ["after the restore", RESTORE],
    ["of seven days without an hour ago", NOW - 167 * HOUR],
  ])("%s is known", (_when, readAt) => {
    expect(positionAt(readAt)).toEqual(FIRST_POSITION);
  });

  test.each([
    ["while writes before the backup could still appear", BACKUP - CHANGE_FEED_OVERLAP_MS + 1],
    ["after the backup, whose writes are lost", BACKUP + HOUR],
    ["right before the restore", RESTORE - 1],
    ["longer ago", NOW - 167 * HOUR - 1],
  ])("%s is refused: everything must be read again", (_when, readAt) => {
    expect(positionAt(readAt)).toMatchObject({ refusal: "SYNC_TOKEN_EXPIRED" });
  });

  test("of another guild is refused, with the name of the field", () => {
    expect(positionAt(NOW, "8" as GuildId)).toMatchObject({
      refusal: "INVALID_REQUEST",
      problems: [{ field: "syncToken" }],
    });
  });
});
