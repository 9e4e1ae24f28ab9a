import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { asError, serve } from "../../mixins/actions/contract-action.ts";
import { updateAnnouncement } from "../../services/contracts/announcements.contract.ts";
import { refuse } from "../../services/contracts/errors.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../real-parts/test-gateway.ts";

describe("a write whose answer is lost behind the gateway", () => {
  let gateway: TestGateway;
  let calls = 0;

  beforeAll(async () => {
    gateway = await startTestGateway(() => [
      ...(["guild-settings", "calendar-events", "dispatch"] as const).map((name) => standIn(name)),
      standIn("announcements", {
        ...serve(updateAnnouncement, async () => {
          calls += 1;
          throw asError(refuse("OUTCOME_UNKNOWN"));
        }),
      }),
    ]);
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  test.each([
    [
      "is made once when it names a revision: a second one would meet the first and be told 412",
      { "if-match": '"1"' },
      1,
    ],
    ["is made again when it names none", {}, 3],
  ])("%s", async (_name, headers, expected) => {
    calls = 0;
    const answer = await gateway.post("/v1/announcement/update", { guild_id: "1", id: "x", channel: "5" }, headers);
    expect([answer.status, answer.body["code"], calls]).toEqual([503, "OUTCOME_UNKNOWN", expected]);
  });
});
