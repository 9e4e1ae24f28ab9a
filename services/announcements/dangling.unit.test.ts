import { describe, expect, test } from "@jest/globals";
import { asError, type CallContext } from "../../mixins/contract-action.ts";
import type { Announcement } from "../contracts/announcements.contract.ts";
import { type ErrorType, refuse } from "../contracts/errors.ts";
import type { EventId, GuildId } from "../contracts/ids.ts";
import { markDangling } from "./dangling.ts";

const announcement = { id: "a1", type: "SPECIFIC", eventId: "e1" as EventId } as unknown as Announcement;

/** What is marked where the owner of the events answers with this error. */
function markedBeside(error: ErrorType) {
  const call = async () => {
    throw asError(refuse(error));
  };
  const context = { call } as unknown as CallContext<unknown>;
  return markDangling([announcement], "1" as GuildId, context);
}

describe("the mark of announcements whose event is gone", () => {
  test.each(["UNAVAILABLE", "INVALID_REQUEST"] as const)(
    "is on none where the owner of the events says %s: it is away, or an older version",
    (error) => expect(markedBeside(error)).resolves.toEqual([announcement]),
  );

  test("is no excuse for another error", () =>
    expect(markedBeside("INTERNAL")).rejects.toMatchObject({ type: "INTERNAL" }));
});
