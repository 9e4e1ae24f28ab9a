import { afterAll, beforeAll, expect, describe, test } from "@jest/globals";
import mongoose from "mongoose";
import { emptyDatabase } from "../../../test/harness/test-services.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { channelChecksStore, type PostChannel } from "./channel-checks.store.ts";

const NOW = Date.UTC(2026, 10, 24);
const GUILD = "375357265198317579";
const OTHER_GUILD = "375357265198317580";

describe("the checked channels of a guild", () => {
  const connection = mongoose.createConnection();
  const store = channelChecksStore(connection);

  beforeAll(async () => {
    await connection.openUri(emptyDatabase(), { writeConcern: { w: "majority" }, readConcernLevel: "majority" });
    for (const model of Object.values(connection.models)) await model.createIndexes();
  });
  afterAll(() => connection.close());

  const channelsOf = (guild: string, from: number, until: number): PostChannel[] =>
    Array.from({ length: until - from }, (_, at) => ({
      sink: "discord",
      guildId: guild as GuildId,
      channel: String(from + at),
    }));
  const countOf = (guildId: string) => connection.collection("channel_checks").countDocuments({ guildId });

  test("are at most 1 000; further ones are not checked, and other guilds are unaffected", async () => {
    await store.enqueue(channelsOf(GUILD, 0, 990), NOW);
    expect(await countOf(GUILD)).toBe(990);
    // In one command, and in later ones.
    await store.enqueue(channelsOf(GUILD, 980, 1_600), NOW);
    await store.enqueue(channelsOf(GUILD, 1_600, 1_610), NOW);
    expect(await countOf(GUILD)).toBe(1_000);
    await store.enqueue(channelsOf(OTHER_GUILD, 0, 3), NOW);
    expect(await countOf(OTHER_GUILD)).toBe(3);
  });

  test("have room again after one is removed", async () => {
    const [gone] = channelsOf(GUILD, 0, 1);
    await store.remove(gone!);
    await store.enqueue(channelsOf(GUILD, 2_000, 2_002), NOW);
    expect(await countOf(GUILD)).toBe(1_000);
    const [taken] = channelsOf(GUILD, 2_000, 2_001);
    await store.remove(taken!);
    expect(await countOf(GUILD)).toBe(999);
  });
});
