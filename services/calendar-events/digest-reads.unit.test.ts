import { describe, expect, test } from "@jest/globals";
import type { GuildId } from "../contracts/ids.ts";
import type { ReadDigestParams } from "../contracts/occurrences.contract.ts";
import { digestTurns } from "./digest-reads.ts";

const paramsOf = (guildId: string) => ({ guildId: guildId as GuildId }) as ReadDigestParams;

describe("the digests", () => {
  test("of a guild are read one after the other, and one that waits too long is refused", async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const running = new Map<string, number>();
    let most = 0;
    const read = digestTurns(async ({ guildId }) => {
      const now = (running.get(guildId) ?? 0) + 1;
      running.set(guildId, now);
      most = Math.max(most, now);
      if (guildId === "1") await opened;
      running.set(guildId, now - 1);
      return null;
    });
    const first = read(paramsOf("1"));
    const second = read(paramsOf("1"));
    await expect(read(paramsOf("2"))).resolves.toBeNull();
    await expect(second).resolves.toMatchObject({ refusal: "TOO_MANY_REQUESTS" });
    open();
    await expect(first).resolves.toBeNull();
    expect(most).toBe(1);
  });
});
