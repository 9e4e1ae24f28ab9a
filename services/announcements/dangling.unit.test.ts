import { describe, expect, test } from "@jest/globals";
import { paramsCheck } from "../../mixins/check-params.ts";
import { asError, type CallContext } from "../../mixins/contract-action.ts";
import type { Announcement } from "../contracts/announcements.contract.ts";
import { listExistingEvents } from "../contracts/calendar-events.contract.ts";
import { refuse, type Refusal } from "../contracts/errors.ts";
import type { EventId, GuildId } from "../contracts/ids.ts";
import { markDangling } from "./dangling.ts";

const announcement = { id: "a1", type: "SPECIFIC", eventId: "e1" as EventId } as unknown as Announcement;

/** Marks an announcement while the owner of the events refuses every question like this. */
function markedBeside(refusalOf: (params: object) => Refusal) {
  const call = async (_name: string, params: object) => {
    throw asError(refusalOf(params));
  };
  const context = { call } as unknown as CallContext<unknown>;
  return markDangling([announcement], "1" as GuildId, context);
}

describe("the mark of announcements whose event is gone", () => {
  test("is on none while the owner of the events is away", () =>
    expect(markedBeside(() => refuse("UNAVAILABLE"))).resolves.toEqual([announcement]));

  test("is on none while the owner of the events is an older version, which does not know first occurrences", () => {
    const { firstOccurrence: _, ...params } = listExistingEvents.params;
    const olderCheck = paramsCheck({ params });
    return expect(markedBeside((asked) => refuse("INVALID_REQUEST", olderCheck(asked)))).resolves.toEqual([
      announcement,
    ]);
  });

  test("is no excuse for another refusal", async () => {
    const problems = [{ field: "eventIds", code: "TOO_MANY", message: "must have at most 1000 entries" }] as const;
    const refused = () => refuse("INVALID_REQUEST", problems);
    await expect(markedBeside(refused)).rejects.toMatchObject({ type: "INVALID_REQUEST" });
    await expect(markedBeside(() => refuse("INTERNAL"))).rejects.toMatchObject({ type: "INTERNAL" });
  });
});
