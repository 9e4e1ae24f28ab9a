import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { asError, serve } from "../../mixins/actions/contract-action.ts";
import { isWriteId } from "../../mixins/mongo/write-id.ts";
import { updateAnnouncement } from "../../services/contracts/announcements.contract.ts";
import { refuse } from "../../services/contracts/errors.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../harness/test-gateway.ts";

describe("a write whose response to the gateway is lost", () => {
  let gateway: TestGateway;
  /** The write id of each call. */
  const writes: unknown[] = [];

  beforeAll(async () => {
    gateway = await startTestGateway(() => [
      ...(["guild-settings", "calendar-events", "dispatch", "webhooks"] as const).map((name) => standIn(name)),
      standIn("announcements", {
        ...serve(updateAnnouncement, async (_params, { meta }) => {
          writes.push(meta.writeId);
          throw asError(refuse("OUTCOME_UNKNOWN"));
        }),
      }),
    ]);
    await untilReady(gateway);
  });
  afterAll(() => gateway.stop());

  test.each([
    ["a condition", { "if-match": '"1"' }],
    ["no condition", {}],
  ])("is tried three times with the same write id, with %s", async (_name, headers) => {
    writes.length = 0;
    const response = await gateway.post("/v1/announcement/update", { guild_id: "1", id: "x", channel: "5" }, headers);
    expect([response.status, response.body["code"], writes.length]).toEqual([503, "OUTCOME_UNKNOWN", 3]);
    expect(new Set(writes).size).toBe(1);
    expect(isWriteId(writes[0])).toBe(true);
  });
});
