import { expect, test } from "@jest/globals";
import type { SettledPost } from "../../contracts/dispatch.contract.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { readHistory } from "./history.ts";

const guildId = "1" as GuildId;

/** A store with `count` settled posts. */
function storeWith(count: number) {
  const listHistory = (_guildId: GuildId, amount: number) =>
    Promise.resolve(Array.from({ length: Math.min(count, amount) }, () => ({}) as SettledPost));
  return { listHistory };
}

test("a history of ten thousand posts is complete, and a longer one is cut to the requested number", async () => {
  await expect(readHistory(storeWith(10_000), { guildId, amount: -1 })).resolves.toHaveLength(10_000);
  await expect(readHistory(storeWith(20_000), { guildId, amount: 10_000 })).resolves.toHaveLength(10_000);
});

test.each([-1, 10_001, 2_147_483_647])(
  "a longer history is refused with the field amount (D17): %d",
  async (amount) => {
    await expect(readHistory(storeWith(10_001), { guildId, amount })).resolves.toMatchObject({
      refusal: "TOO_MANY_ENTRIES",
      problems: [{ field: "amount", code: "TOO_MANY", message: expect.stringContaining("10000") }],
    });
  },
);
