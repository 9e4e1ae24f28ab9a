import type { IncomingMessage } from "node:http";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { httpRequestSeconds } from "../../../mixins/observability/metrics.ts";
import { measureRequest } from "./request-metrics.ts";

function measured(url: string, status: number): void {
  measureRequest({ request: { url } as IncomingMessage, status, ms: 12 });
}

async function counts(): Promise<unknown[]> {
  const { values } = await httpRequestSeconds.get();
  return values
    .filter(({ metricName }) => metricName?.endsWith("_count") === true)
    .map(({ labels, value }) => [labels["route"], labels["status"], value]);
}

describe("the request metrics", () => {
  beforeEach(() => httpRequestSeconds.reset());

  test("count an alias as its endpoint, by status", async () => {
    measured("/v2/guild/settings/get?x=1", 200);
    measured("/api/v2/guild/settings/get", 200);
    measured("/v2/guild/settings/get", 401);
    expect(await counts()).toEqual([
      ["/v2/guild/settings/get", 200, 2],
      ["/v2/guild/settings/get", 401, 1],
    ]);
  });

  test("count an import, a stream of changes and a feed as their endpoints", async () => {
    measured("/api/v2/calendar/import?guild_id=1", 200);
    measured("/v2/changes/stream?guild_id=1", 200);
    measured("/v2/calendar/feed/gcf_live_a.ics", 404);
    expect(await counts()).toEqual([
      ["/v2/calendar/import", 200, 1],
      ["/v2/changes/stream", 200, 1],
      ["/v2/calendar/feed/{token}.ics", 404, 1],
    ]);
  });

  test("have no label for invented paths", async () => {
    for (const url of ["/", "/health/live", "/v9", "/v2/guild/settings/get/", ""]) measured(url, 404);
    expect(await counts()).toEqual([["other", 404, 5]]);
  });
});
