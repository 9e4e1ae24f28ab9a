import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "@jest/globals";
import moleculer from "moleculer";
import mongoose from "mongoose";
import { newWriteId } from "../../mixins/mongo/write-id.ts";
import { until } from "../../test/harness/until.ts";
import { responsesOf, postRequest } from "../../test/harness/web-service.ts";
import { asError } from "../../mixins/actions/contract-action.ts";
import type { Caller } from "../contracts/contract.ts";
import { refuse } from "../contracts/errors.ts";
import { requestHandler, type RequestHandlerOptions } from "./request-handler.ts";
import { ServiceUnavailable } from "./service-health.ts";

const SECRET = "mongodb://root:hunter2@db.node-7";
const caller: Caller = { keyId: "k", kind: "guild", access: "write", guilds: ["1"] };
const admitted = { caller, standings: [] };
const { ServiceNotFoundError, RequestTimeoutError, ValidationError, MoleculerError } = moleculer.Errors;

const failing = (error: unknown) => ({
  call: async () => {
    throw error;
  },
});

describe("the response of the gateway", () => {
  let defects: [error: unknown, requestId: string][];
  let parts: RequestHandlerOptions;

  beforeEach(() => {
    defects = [];
    parts = {
      knownPaths: [],
      runIdempotently: (_request, perform) => perform(newWriteId()),
      admission: { admit: async () => admitted, admitToGuild: () => admitted },
      clock: { now: () => 0 },
      call: async () => undefined,
      onDefect: (...defect) => void defects.push(defect),
    };
  });

  async function send(overrides: Partial<RequestHandlerOptions>, path = "/v1/announcement/get", more: object = {}) {
    const respond = responsesOf(requestHandler({ ...parts, ...overrides }));
    const { status, headers, body } = await respond(postRequest(path, { guild_id: "1", id: "x", ...more }), "id-1");
    return { status, headers, text: body as string, body: JSON.parse(body as string) as unknown };
  }

  test("does not depend on the query (D2)", async () => {
    const ownerCalls: unknown[] = [];
    const call: RequestHandlerOptions["call"] = async (_contract, params) => (ownerCalls.push(params), []);
    await send({ call }, "/v1/announcement/list?guild_id=2&amount=9", { amount: 1 });
    expect(ownerCalls).toEqual([{ guildId: "1", amount: 1 }]);
  });

  test("is delayed if its status is 429, from a rate limit or an owner, and not otherwise", async () => {
    const limited = async () => ({ refusal: refuse("TOO_MANY_REQUESTS"), headers: {} });
    const byKey = send({ admission: { ...parts.admission, admit: limited } });
    const byOwner = send(failing(asError(refuse("TOO_MANY_REQUESTS"))));
    const others = [send(failing(asError(refuse("ANNOUNCEMENT_NOT_FOUND")))), send(failing(new Error("defect")))];
    const inOrder: number[] = [];
    await Promise.all([byKey, byOwner, ...others].map(async (response) => inOrder.push((await response).status)));
    expect(inOrder.slice(2)).toEqual([429, 429]);
  });

  test("to another method on a known path is 405 with the allowed methods, before the key is checked (D1, D3)", async () => {
    const request = Object.assign(postRequest("/v1/announcement/get", {}), { method: "PUT" });
    const admission = { ...parts.admission, admit: () => Promise.reject(new Error("nobody asks")) };
    const response = await responsesOf(requestHandler({ ...parts, admission }))(request, "id-1");
    expect([response.status, response.headers["allow"]]).toEqual([405, "POST"]);
  });

  test("to a preflight without CORS is 405", async () => {
    const calls: unknown[] = [];
    const preflight = Object.assign(postRequest("/v1/announcement/get", { guild_id: "1", id: "x" }), {
      method: "OPTIONS",
    });
    preflight.headers["access-control-request-method"] = "POST";
    const call = async () => calls.push("called");
    const response = await responsesOf(requestHandler({ ...parts, call }))(preflight, "id-1");
    expect([response.status, response.headers["allow"], calls]).toEqual([405, "POST", []]);
  });

  test("to a request without a key is sent before the body is read (D3)", async () => {
    const request = postRequest("/v1/announcement/get", {});
    const admission = { ...parts.admission, admit: async () => ({ refusal: refuse("UNAUTHORIZED"), headers: {} }) };
    await expect(responsesOf(requestHandler({ ...parts, admission }))(request, "id-1")).resolves.toMatchObject({
      status: 401,
    });
    expect(request.readableDidRead).toBe(false);
  });

  test.each(["/~node/list", "/api/~node/list", "/guild-settings/get", "/announcements/create", "/api/list-aliases"])(
    "to the path of an action without a route is 404: %s",
    async (path) => {
      await expect(send({}, path)).resolves.toMatchObject({ status: 404, body: { code: "ROUTE_NOT_FOUND" } });
    },
  );

  test.each([
    ["an Error with a secret", new Error(SECRET)],
    ["another library's error", new MoleculerError(SECRET, 500, "X", { secret: SECRET })],
    ["a validation of the bus", new ValidationError(SECRET, "VALIDATION_ERROR", [{ actual: SECRET }])],
    ["no error at all", SECRET],
    ["nothing", undefined],
    [
      "an error that can't be written down",
      Object.assign(new Error(SECRET), { toJSON: () => JSON.parse("{") as never }),
    ],
  ])("to %s is 500 with a fixed text, and the error is reported with the request id (D4)", async (_name, error) => {
    const { status, text } = await send(failing(error));
    expect(status).toBe(500);
    expect(text).toBe('{"message":"Internal error","code":"INTERNAL","request_id":"id-1"}');
    expect(defects).toEqual([[error, "id-1"]]);
  });

  test("to a result that violates the contract is 500", async () => {
    const { status } = await send({ call: async () => null });
    expect([status, defects.length]).toEqual([500, 1]);
  });

  test.each([
    ["a service that went away", new ServiceUnavailable(true)],
    ["a service that is nowhere", new ServiceNotFoundError({ action: "announcements.get", nodeID: "node-7" })],
    ["a time-out", new RequestTimeoutError({ action: "announcements.get", nodeID: "node-7" })],
    ["a refusal of the owner's", asError(refuse("UNAVAILABLE"))],
  ])("to %s is 503 with Retry-After, and no defect is reported", async (_name, error) => {
    const { status, headers, text } = await send(failing(error));
    expect([status, headers["retry-after"], defects]).toEqual([503, "1", []]);
    expect(text).toBe('{"message":"Temporarily unavailable; try again","code":"UNAVAILABLE","request_id":"id-1"}');
  });

  test.each([
    ["a service that became unavailable during the call", new ServiceUnavailable(true), "OUTCOME_UNKNOWN"],
    ["a time-out", new RequestTimeoutError({ action: "a.b", nodeID: "node-7" }), "OUTCOME_UNKNOWN"],
    ["an unavailable service", new ServiceUnavailable(false), "UNAVAILABLE"],
    ["a service that is nowhere", new ServiceNotFoundError({ action: "a.b", nodeID: "node-7" }), "UNAVAILABLE"],
  ])("to a write with %s tells whether it may have been performed", async (_name, error, code) => {
    const { status, text } = await send(failing(error), "/v1/announcement/update");
    expect(status).toBe(503);
    expect(text).toContain(`"code":"${code}"`);
  });

  test.each([
    ["at once", 0, "6"],
    ["after three seconds", 3_000, "3"],
    ["after its deadline", 6_000, "1"],
  ])(
    "to a write with an unknown outcome %s tells when it can no longer be performed",
    async (_name, tookMs, settledIn) => {
      let now = 0;
      const writeUntil: unknown[] = [];
      const call: RequestHandlerOptions["call"] = async (_route, _params, meta) => {
        writeUntil.push(meta.writeUntil);
        now += tookMs;
        throw new ServiceUnavailable(true);
      };
      const { headers } = await send({ call, clock: { now: () => now } }, "/v1/announcement/update");
      expect([headers["retry-after"], writeUntil]).toEqual([settledIn, [5_500]]);
    },
  );

  test("to a read comes from a call without a write deadline", async () => {
    const call: RequestHandlerOptions["call"] = async (_route, _params, meta) => (
      expect(meta).not.toHaveProperty("writeUntil"),
      []
    );
    await send({ call }, "/v1/announcement/list", { amount: 1 });
    expect(defects).toEqual([]);
  });

  test("is 503 and not 401 if the store of keys is unavailable", async () => {
    const error = new mongoose.mongo.MongoServerSelectionError(SECRET, {} as never);
    const { status } = await send({ admission: { ...parts.admission, admit: () => Promise.reject(error) } });
    expect([status, defects]).toEqual([503, []]);
  });

  test("to a refusal of the owner has its message and the wire names of fields", async () => {
    const refusal = refuse("INVALID_REQUEST", [
      { field: "eventColor", code: "NOT_ALLOWED", message: "must be a color", allowed: ["RED"] },
      { field: "subscribersRole[2]", code: "MALFORMED", message: "must be digits" },
    ]);
    const { status, body } = await send(failing(asError(refusal)), "/v1/announcement/update");
    expect(status).toBe(400);
    expect(body).toEqual({
      message: "Bad request: event_color must be a color; subscribers_role[2] must be digits",
      code: "INVALID_REQUEST",
      request_id: "id-1",
      errors: [
        { field: "event_color", code: "NOT_ALLOWED", message: "must be a color", allowed: ["RED"] },
        { field: "subscribers_role[2]", code: "MALFORMED", message: "must be digits" },
      ],
    });
  });

  test("to a lead time that is too long names both of its parts (D25)", async () => {
    const lead = { hours: 8784, minutes: 1 };
    const { body } = await send({}, "/v1/announcement/update", lead);
    expect(body).toMatchObject({
      message:
        "Bad request: hours must not be more than 527040 minutes together with minutes; " +
        "minutes must not be more than 527040 minutes together with hours",
    });
  });

  test.each([
    ["/v2/events/list/date", {}, "epoch_start"],
    ["/v2/events/list/month", { days_in_month: 31 }, "days_in_month"],
    ["/v2/events/list/range", { epoch_end: 5 }, "epoch_end"],
  ])(
    "to too many entries in %s names the field %p, which sets the end of the window (D17)",
    async (path, more, field) => {
      const refusal = refuse("TOO_MANY_ENTRIES", [
        { field: "until", code: "OUT_OF_RANGE", message: "must be earlier" },
      ]);
      const response = await send(failing(asError(refusal)), path, { calendar_number: 1, epoch_start: 1, ...more });
      expect(response).toMatchObject({ status: 400, body: { code: "TOO_MANY_ENTRIES", errors: [{ field }] } });
    },
  );

  test("to a range that ends before its start is 400 and names its end (D17)", async () => {
    const refused = await send({}, "/v2/events/list/range", { calendar_number: 1, epoch_start: 5, epoch_end: 4 });
    expect(refused).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST", errors: [{ field: "epoch_end" }] } });
  });

  test("has the events of the window: 24 hours, a number of days, or a range with both ends included (D17)", async () => {
    const ownerCalls: unknown[] = [];
    const call: RequestHandlerOptions["call"] = async (_contract, params) => (ownerCalls.push(params), []);
    const calendar = { calendar_number: 2, epoch_start: 1_000 };
    await send({ call }, "/v2/events/list/date", calendar);
    await send({ call }, "/v2/events/list/month", { ...calendar, days_in_month: 28 });
    await send({ call }, "/v2/events/list/range", { ...calendar, epoch_end: 1_000 });
    const window = { guildId: "1", calendarNumber: 2, from: 1_000 };
    expect(ownerCalls).toEqual([
      { ...window, until: 86_401_000 },
      { ...window, until: 1_000 + 28 * 86_400_000 },
      { ...window, until: 1_001 },
    ]);
  });

  test("with a large list delays the next list of the guild until the client has read it (D38)", async () => {
    const name = "x".repeat(250);
    const view = (at: number) => ({ eventId: `e${at}`, startsAt: 0, endsAt: 0, name, isParent: false, color: "RED" });
    const large = Array.from({ length: 5_000 }, (_, at) => view(at));
    let ownerCalls = 0;
    const respond = responsesOf(requestHandler({ ...parts, call: async () => ((ownerCalls += 1), large) }));
    const list = () => {
      const body = { guild_id: "1", calendar_number: 1, epoch_start: 1, epoch_end: 2 };
      return Promise.resolve(respond(postRequest("/v2/events/list/range", body), "id-1"));
    };
    const first = await list();
    expect([first.status, (first.body as readonly Buffer[]).length > 1]).toEqual([200, true]);
    const second = list();
    expect(ownerCalls).toBe(1);
    first.onClose?.();
    const { status, onClose } = await second;
    expect([status, ownerCalls]).toEqual([200, 2]);
    onClose?.();
  });

  test("with a preview delays the lists of the guild like a list", async () => {
    const begun: ((view: unknown) => void)[] = [];
    const respond = responsesOf(
      requestHandler({ ...parts, call: () => new Promise((resolve) => void begun.push(resolve)) }),
    );
    const preview = () =>
      Promise.resolve(respond(postRequest("/v1/announcement/preview", { guild_id: "1", id: "a" }), "id-1"));
    const [first, second] = [preview(), preview()];
    await until(() => begun.length > 0, "the first");
    await pause(10);
    expect(begun).toHaveLength(1);
    begun[0]?.({ messages: [] });
    await first;
    await until(() => begun.length > 1, "the second");
    begun[1]?.({ messages: [] });
    await expect(second).resolves.toHaveProperty("status", 200);
  });

  test("to other requests of a guild waits for a free slot of two, and other guilds do not wait", async () => {
    const begun: ((view: unknown) => void)[] = [];
    const call = () => new Promise((resolve) => void begun.push(resolve));
    const everywhere = { ...admitted, caller: { ...caller, kind: "service", guilds: [] } as Caller };
    const admission = { admit: async () => everywhere, admitToGuild: () => everywhere };
    const respond = responsesOf(requestHandler({ ...parts, call, admission }));
    const ask = (guild: string) => {
      return Promise.resolve(respond(postRequest("/v2/guild/settings/get", { guild_id: guild }), "id-1"));
    };
    const responses = Array.from({ length: 20 }, () => ask("1"));
    const other = ask("2");
    await until(() => begun.length >= 3, "two of one guild and one of the other");
    await pause(10);
    expect(begun).toHaveLength(3);
    for (let at = 0; at < 21; at += 1) {
      await until(() => begun.length > at, "the next request");
      begun[at]?.({});
    }
    await Promise.all([...responses, other]);
  });
});
