import { expect, test } from "@jest/globals";
import type { ServiceBroker } from "moleculer";
import { asError } from "../../../mixins/actions/contract-action.ts";
import { refuse } from "../../contracts/errors.ts";
import { ownerServices } from "./owner-services.ts";

const RESULT = { changes: [], mark: { at: 7, id: "e7" }, more: false };
const PARAMS = { mark: { at: 7, id: "e7" }, limit: 10 };
const UNKNOWN_PARAM = asError(
  refuse("INVALID_REQUEST", [{ field: "partitions", code: "NOT_ALLOWED", message: "is not allowed" }]),
);

/** The owner's changes in partition 3, and the params of the calls that it got. */
async function changesOfPartition(fails: (params: object) => Error | undefined) {
  const calls: object[] = [];
  const broker = {
    async call(_name: string, params: object) {
      calls.push(params);
      const error = fails(params);
      if (error !== undefined) throw error;
      return RESULT;
    },
  } as unknown as ServiceBroker;
  const result = await ownerServices(broker)
    .changesSince("calendar-events", { ...PARAMS, partitions: [3] })
    .catch((error: unknown) => error);
  return { calls, result };
}

test("the changes of some partitions are read by one call", async () => {
  await expect(changesOfPartition(() => undefined)).resolves.toEqual({
    calls: [{ ...PARAMS, partitions: [3] }],
    result: RESULT,
  });
});

test("an owner that does not know partitions yet returns the changes of all", async () => {
  const previous = (params: object) => ("partitions" in params ? UNKNOWN_PARAM : undefined);
  await expect(changesOfPartition(previous)).resolves.toEqual({
    calls: [{ ...PARAMS, partitions: [3] }, PARAMS],
    result: RESULT,
  });
});

test("a read that fails otherwise is not repeated", async () => {
  const silent = new Error("no response");
  const { calls, result } = await changesOfPartition(() => silent);
  expect(result).toBe(silent);
  expect(calls).toHaveLength(1);
});
