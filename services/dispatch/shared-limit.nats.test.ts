import { expect, test } from "@jest/globals";
import { newRecordingSink, type RecordingSink } from "../../test/fixtures/recording-sink.ts";
import { startTestServices } from "../../test/harness/test-services.ts";
import { until } from "../../test/harness/until.ts";
import { dispatchService } from "./dispatch.service.ts";

test("each replica divides the requests of its sinks by the number of replicas", async () => {
  const counts: (() => number)[] = [];
  const limitedSink = (): RecordingSink => ({
    ...newRecordingSink(),
    shareAmong: (processes) => void counts.push(processes),
  });
  const services = await startTestServices((mongoUrl) =>
    [1, 2].map(() => dispatchService({ mongoUrl, sinks: [limitedSink()], graceMs: 900_000 })),
  );
  await until(() => counts.length === 2 && counts.every((count) => count() === 2), "each replica knows the other one");
  expect(counts.map((count) => count())).toEqual([2, 2]);
  await services.stop();
});
