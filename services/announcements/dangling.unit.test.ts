import { describe, expect, test } from "@jest/globals";
import { asError, type CallContext } from "../../mixins/actions/contract-action.ts";
import type { Announcement } from "../contracts/announcements.contract.ts";
import { refuse, type Refusal } from "../contracts/errors.ts";
import type { EventId, GuildId } from "../contracts/ids.ts";
import { markDangling } from "./dangling.ts";

const announcement = { id: "a1", type: "SPECIFIC", eventId: "e1" as EventId } as unknown as Announcement;

/** Marks an announcement while the owner of the events responds with this refusal. */
function markWhileOwnerResponds(refusal: Refusal) {
  const call = async () => {
    throw asError(refusal);
  };
  const context = { call } as unknown as CallContext<unknown>;
  return markDangling([announcement], "1" as GuildId, context);
}

describe("the mark of announcements whose event is gone", () => {
  test("is on none while the owner of the events is unavailable", () =>
    expect(markWhileOwnerResponds(refuse("UNAVAILABLE"))).resolves.toEqual([announcement]));

  test("does not hide another error of the owner", async () => {
    const problems = [{ field: "eventIds", code: "TOO_MANY", message: "must have at most 1000 entries" }] as const;
    await expect(markWhileOwnerResponds(refuse("INVALID_REQUEST", problems))).rejects.toMatchObject({
      type: "INVALID_REQUEST",
    });
    await expect(markWhileOwnerResponds(refuse("INTERNAL"))).rejects.toMatchObject({ type: "INTERNAL" });
  });
});
