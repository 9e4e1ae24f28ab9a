import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { ServiceBroker } from "moleculer";
import mongoose from "mongoose";
import { brokerOptions } from "../../moleculer.config.ts";
import { action, type Caller } from "../../services/contracts/contract.ts";
import { refuse } from "../../services/contracts/errors.ts";
import { integer } from "../../services/contracts/field-rules.ts";
import { asError, serve } from "./contract-action.ts";

const thing = { keys: "operator read", params: { at: integer(0, 9) } } as const;
const read = action<{ at: number }, number>({ ...thing, name: "thing.read", idempotent: true });
const make = action<{ at: number }, number>({
  ...thing,
  name: "thing.make",
  keys: "operator write",
  idempotent: false,
});

describe("an action that serves a contract", () => {
  const broker = new ServiceBroker(brokerOptions({ nodeId: "test", natsUrl: undefined, logLevel: "fatal" }));
  let handle: (params: { at: number }) => unknown;
  let calls = 0;

  beforeAll(async () => {
    const handler = async (params: { at: number }) => {
      calls += 1;
      return handle(params) as number;
    };
    broker.createService({ name: "thing", actions: { ...serve(read, handler), ...serve(make, handler) } });
    await broker.start();
  });
  afterAll(() => broker.stop());
  beforeEach(() => {
    calls = 0;
    handle = ({ at }) => at;
  });
  const call = (name: string, params: object) => broker.call(name, params);
  const failing = (error: unknown) => {
    handle = () => {
      throw error;
    };
  };

  test("gets only valid params: an invalid or unknown field never reaches its handler", async () => {
    await expect(call("thing.read", { at: 3 })).resolves.toBe(3);
    await expect(call("thing.read", { at: 10 })).rejects.toMatchObject({
      type: "INVALID_REQUEST",
      code: 400,
      data: { problems: [{ field: "at", code: "OUT_OF_RANGE" }] },
    });
    await expect(call("thing.read", { at: 3, more: { $ne: 1 } })).rejects.toMatchObject({ type: "INVALID_REQUEST" });
    expect(calls).toBe(1);
  });

  test("serves only the callers that the contract names, whichever service passed the call on (D3)", async () => {
    const caller = { keyId: "k", kind: "service", access: "write", guilds: [] } as const;
    const callAs = (kind: Caller["kind"]) =>
      broker.call("thing.read", { at: 1 }, { meta: { caller: { ...caller, kind } } });
    await expect(callAs("service")).rejects.toMatchObject({ type: "FORBIDDEN", code: 403 });
    expect(calls).toBe(0);
    await expect(callAs("operator")).resolves.toBe(1);
  });

  test("turns a refusal into the error of the error table", async () => {
    handle = () => refuse("EVENT_NOT_FOUND");
    await expect(call("thing.read", { at: 1 })).rejects.toMatchObject({
      type: "EVENT_NOT_FOUND",
      code: 404,
      message: "Event not found",
    });
  });

  test("sends no text of an unexpected error over the bus", async () => {
    failing(new Error("secret of the driver"));
    const error: unknown = await call("thing.read", { at: 1 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ type: "INTERNAL", code: 500, message: "Internal error" });
    expect(JSON.stringify(error)).not.toContain("secret");
  });

  test("logs an unexpected failure with the request and the trace (D4)", async () => {
    const lines: unknown[] = [];
    const { error: writeError } = broker.logger;
    broker.logger.error = (...line) => void lines.push(line[0]);
    failing(new Error("defect"));
    const meta = { requestId: "r-1", traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" };
    await broker.call("thing.make", { at: 1 }, { meta }).catch(() => undefined);
    broker.logger.error = writeError;
    const names = { action: "thing.make", requestId: "r-1", traceId: "4bf92f3577b34da6a3ce929d0e0e4736" };
    expect(lines).toEqual([expect.objectContaining(names)]);
  });

  test("logs one line for a write: who changed which record for which request, and no text", async () => {
    const lines: unknown[] = [];
    const { options } = broker as { options: { logger?: unknown } };
    const configured = options.logger;
    options.logger = undefined;
    const logger = { debug: () => undefined, info: (line: object) => lines.push(line) };
    jest.spyOn(broker, "getLogger").mockReturnValue(logger as never);
    handle = ({ at }) => ({ id: `thing-${at}`, revision: 7, secret: "gc_live_secret", name: "a text" });
    const caller = { keyId: "k", kind: "operator", access: "write", guilds: [] } as const;
    const meta = { caller, requestId: "r-1", traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" };
    await broker.call("thing.make", { at: 1 }, { meta });
    await broker.call("thing.read", { at: 1 }, { meta });
    handle = () => refuse("EVENT_NOT_FOUND");
    await broker.call("thing.make", { at: 1 }, { meta }).catch(() => undefined);
    jest.restoreAllMocks();
    options.logger = configured;
    const names = { action: "thing.make", requestId: "r-1", traceId: "4bf92f3577b34da6a3ce929d0e0e4736" };
    expect(lines).toEqual([{ keyId: "k", guildId: undefined, id: "thing-1", revision: "7", ...names }]);
  });

  test("passes on the refusal of a service that it called itself", async () => {
    failing(asError(refuse("CALENDAR_NOT_FOUND")));
    await expect(call("thing.make", { at: 1 })).rejects.toMatchObject({ type: "CALENDAR_NOT_FOUND", code: 404 });
  });

  test("is retried while the database is unreachable, but only if it is idempotent", async () => {
    failing(new mongoose.mongo.MongoNotConnectedError("gone"));
    await expect(call("thing.read", { at: 1 })).rejects.toMatchObject({ type: "UNAVAILABLE", code: 503 });
    expect(calls).toBe(3);
    calls = 0;
    // The write had started: whether it reached the database is unknown.
    await expect(call("thing.make", { at: 1 })).rejects.toMatchObject({ type: "OUTCOME_UNKNOWN", code: 503 });
    expect(calls).toBe(1);
  });
});
