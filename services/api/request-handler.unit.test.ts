import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "@jest/globals";
import moleculer from "moleculer";
import mongoose from "mongoose";
import { newWriteId } from "../../mixins/mongo/write-id.ts";
import { until } from "../../test/real-parts/until.ts";
import { answersOf, postRequest } from "../../test/real-parts/web-service.ts";
import { asError } from "../../mixins/actions/contract-action.ts";
import type { Caller } from "../contracts/contract.ts";
import { refuse } from "../contracts/errors.ts";
import { requestSteps, type RequestStepsParts } from "./request-handler.ts";
import { ServiceGone } from "./service-health.ts";

const SECRET = "mongodb://root:hunter2@db.node-7";
const caller: Caller = { keyId: "k", kind: "guild", access: "write", guilds: ["1"] };
const admitted = { caller, standings: [] };
const { ServiceNotFoundError, RequestTimeoutError, ValidationError, MoleculerError } = moleculer.Errors;

const failing = (error: unknown) => ({
  call: async () => {
    throw error;
  },
});

describe("what becomes of an error behind the gateway", () => {
  let defects: [error: unknown, requestId: string][];
  let parts: RequestStepsParts;

  beforeEach(() => {
    defects = [];
    parts = {
      knownPaths: [],
      performOnce: (_request, perform) => perform(newWriteId()),
      admission: { admit: async () => admitted, admitToGuild: () => admitted },
      clock: { now: () => 0 },
      call: async () => undefined,
      onDefect: (...defect) => void defects.push(defect),
    };
  });

  async function answerOf(overrides: Partial<RequestStepsParts>, path = "/v1/announcement/get", more: object = {}) {
    const answer = answersOf(requestSteps({ ...parts, ...overrides }));
    const { status, headers, body } = await answer(postRequest(path, { guild_id: "1", id: "x", ...more }), "id-1");
    return { status, headers, text: String(body as string), body: JSON.parse(body as string) as unknown };
  }

  test("a query beside a body changes nothing (D2)", async () => {
    const asked: unknown[] = [];
    const call: RequestStepsParts["call"] = async (_contract, params) => (asked.push(params), []);
    await answerOf({ call }, "/v1/announcement/list?guild_id=2&amount=9", { amount: 1 });
    expect(asked).toEqual([{ guildId: "1", amount: 1 }]);
  });

  test("an answer of 429 is delayed, whoever gives it: a key's rate, or an owner; no other is", async () => {
    const limited = async () => ({ refusal: refuse("TOO_MANY_REQUESTS"), headers: {} });
    const byKey = answerOf({ admission: { ...parts.admission, admit: limited } });
    const byOwner = answerOf(failing(asError(refuse("TOO_MANY_REQUESTS"))));
    const others = [
      answerOf(failing(asError(refuse("ANNOUNCEMENT_NOT_FOUND")))),
      answerOf(failing(new Error("defect"))),
    ];
    const inOrder: number[] = [];
    await Promise.all([byKey, byOwner, ...others].map(async (answer) => inOrder.push((await answer).status)));
    expect(inOrder.slice(2)).toEqual([429, 429]);
  });

  test("another method on a known path is a 405 that says which one is meant, before any key is asked for (D1, D3)", async () => {
    const request = Object.assign(postRequest("/v1/announcement/get", {}), { method: "PUT" });
    const admission = { ...parts.admission, admit: () => Promise.reject(new Error("nobody asks")) };
    const answer = await answersOf(requestSteps({ ...parts, admission }))(request, "id-1");
    expect([answer.status, answer.headers["allow"]]).toEqual([405, "POST"]);
  });

  test("a preflight is no way around the method: it asks for POST, and is none", async () => {
    const calls: unknown[] = [];
    const preflight = Object.assign(postRequest("/v1/announcement/get", { guild_id: "1", id: "x" }), {
      method: "OPTIONS",
    });
    preflight.headers["access-control-request-method"] = "POST";
    const call = async () => calls.push("called");
    const answer = await answersOf(requestSteps({ ...parts, call }))(preflight, "id-1");
    expect([answer.status, answer.headers["allow"], calls]).toEqual([405, "POST", []]);
  });

  test("of who has no key nothing is read (D3)", async () => {
    const request = postRequest("/v1/announcement/get", {});
    const admission = { ...parts.admission, admit: async () => ({ refusal: refuse("UNAUTHORIZED"), headers: {} }) };
    await expect(answersOf(requestSteps({ ...parts, admission }))(request, "id-1")).resolves.toMatchObject({
      status: 401,
    });
    expect(request.readableDidRead).toBe(false);
  });

  test.each(["/~node/list", "/api/~node/list", "/guild-settings/get", "/announcements/create", "/api/list-aliases"])(
    "an action without a route is nowhere: %s",
    async (path) => {
      await expect(answerOf({}, path)).resolves.toMatchObject({ status: 404, body: { code: "ROUTE_NOT_FOUND" } });
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
  ])("%s is a 500 with a fixed text, and is told with its request id (D4)", async (_name, error) => {
    const { status, text } = await answerOf(failing(error));
    expect(status).toBe(500);
    expect(text).toBe('{"message":"Internal error","code":"INTERNAL","request_id":"id-1"}');
    expect(defects).toEqual([[error, "id-1"]]);
  });

  test("an answer that is not what the contract says is a 500 too", async () => {
    const { status } = await answerOf({ call: async () => null });
    expect([status, defects.length]).toEqual([500, 1]);
  });

  test.each([
    ["a service that went away", new ServiceGone(true)],
    ["a service that is nowhere", new ServiceNotFoundError({ action: "announcements.get", nodeID: "node-7" })],
    ["a time-out", new RequestTimeoutError({ action: "announcements.get", nodeID: "node-7" })],
    ["a refusal of the owner's", asError(refuse("UNAVAILABLE"))],
  ])("%s is a 503 that says when to come back, and no defect", async (_name, error) => {
    const { status, headers, text } = await answerOf(failing(error));
    expect([status, headers["retry-after"], defects]).toEqual([503, "1", []]);
    expect(text).toBe('{"message":"Temporarily unavailable; try again","code":"UNAVAILABLE","request_id":"id-1"}');
  });

  test.each([
    ["a service that went away while it was asked", new ServiceGone(true), "OUTCOME_UNKNOWN"],
    ["a time-out", new RequestTimeoutError({ action: "a.b", nodeID: "node-7" }), "OUTCOME_UNKNOWN"],
    ["a service that was not asked", new ServiceGone(false), "UNAVAILABLE"],
    ["a service that is nowhere", new ServiceNotFoundError({ action: "a.b", nodeID: "node-7" }), "UNAVAILABLE"],
  ])("of a write, %s says whether it may have been done", async (_name, error, code) => {
    const { status, text } = await answerOf(failing(error), "/v1/announcement/update");
    expect(status).toBe(503);
    expect(text).toContain(`"code":"${code}"`);
  });

  test.each([
    ["at once", 0, "6"],
    ["after three seconds", 3_000, "3"],
    ["after its deadline", 6_000, "1"],
  ])("a write whose outcome nobody knows %s says when that is settled", async (_name, tookMs, settledIn) => {
    let now = 0;
    const writeUntil: unknown[] = [];
    const call: RequestStepsParts["call"] = async (_route, _params, meta) => {
      writeUntil.push(meta.writeUntil);
      now += tookMs;
      throw new ServiceGone(true);
    };
    const { headers } = await answerOf({ call, clock: { now: () => now } }, "/v1/announcement/update");
    expect([headers["retry-after"], writeUntil]).toEqual([settledIn, [5_500]]);
  });

  test("a read has no deadline for its writes, as it has none", async () => {
    const call: RequestStepsParts["call"] = async (_route, _params, meta) => (
      expect(meta).not.toHaveProperty("writeUntil"),
      []
    );
    await answerOf({ call }, "/v1/announcement/list", { amount: 1 });
    expect(defects).toEqual([]);
  });

  test("a key store out of reach is a 503, not a 401", async () => {
    const error = new mongoose.mongo.MongoServerSelectionError(SECRET, {} as never);
    const { status } = await answerOf({ admission: { ...parts.admission, admit: () => Promise.reject(error) } });
    expect([status, defects]).toEqual([503, []]);
  });

  test("a refusal of the owner's keeps its message and names fields as the client does", async () => {
    const refusal = refuse("INVALID_REQUEST", [
      { field: "eventColor", code: "NOT_ALLOWED", message: "must be a colour", allowed: ["RED"] },
      { field: "subscribersRole[2]", code: "MALFORMED", message: "must be digits" },
    ]);
    const { status, body } = await answerOf(failing(asError(refusal)), "/v1/announcement/update");
    expect(status).toBe(400);
    expect(body).toEqual({
      message: "Bad request: event_color must be a colour; subscribers_role[2] must be digits",
      code: "INVALID_REQUEST",
      request_id: "id-1",
      errors: [
        { field: "event_color", code: "NOT_ALLOWED", message: "must be a colour", allowed: ["RED"] },
        { field: "subscribers_role[2]", code: "MALFORMED", message: "must be digits" },
      ],
    });
  });

  test("a lead time that is too long as a whole reads as a sentence of each part (D25)", async () => {
    const lead = { hours: 8784, minutes: 1 };
    const { body } = await answerOf({}, "/v1/announcement/update", lead);
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
  ])("too many entries in %s: the window's end is what %p set (D17)", async (path, more, field) => {
    const refusal = refuse("TOO_MANY_ENTRIES", [{ field: "until", code: "OUT_OF_RANGE", message: "must be earlier" }]);
    const answer = await answerOf(failing(asError(refusal)), path, { calendar_number: 1, epoch_start: 1, ...more });
    expect(answer).toMatchObject({ status: 400, body: { code: "TOO_MANY_ENTRIES", errors: [{ field }] } });
  });

  test("a range that ends before it starts is a 400 that names its end (D17)", async () => {
    const answer = await answerOf({}, "/v2/events/list/range", { calendar_number: 1, epoch_start: 5, epoch_end: 4 });
    expect(answer).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST", errors: [{ field: "epoch_end" }] } });
  });

  test("the windows are what the wire says: 24 hours, so many days, both ends included (D17)", async () => {
    const asked: unknown[] = [];
    const call: RequestStepsParts["call"] = async (_contract, params) => (asked.push(params), []);
    const calendar = { calendar_number: 2, epoch_start: 1_000 };
    await answerOf({ call }, "/v2/events/list/date", calendar);
    await answerOf({ call }, "/v2/events/list/month", { ...calendar, days_in_month: 28 });
    await answerOf({ call }, "/v2/events/list/range", { ...calendar, epoch_end: 1_000 });
    const window = { guildId: "1", calendarNumber: 2, from: 1_000 };
    expect(asked).toEqual([
      { ...window, until: 86_401_000 },
      { ...window, until: 1_000 + 28 * 86_400_000 },
      { ...window, until: 1_001 },
    ]);
  });

  test("of the large lists of a guild one is under way at once until it is taken; the next waits (D38)", async () => {
    const name = "x".repeat(250);
    const view = (at: number) => ({ eventId: `e${at}`, startsAt: 0, endsAt: 0, name, isParent: false, color: "RED" });
    const large = Array.from({ length: 5_000 }, (_, at) => view(at));
    let asked = 0;
    const answer = answersOf(requestSteps({ ...parts, call: async () => ((asked += 1), large) }));
    const list = () => {
      const body = { guild_id: "1", calendar_number: 1, epoch_start: 1, epoch_end: 2 };
      return Promise.resolve(answer(postRequest("/v2/events/list/range", body), "id-1"));
    };
    const first = await list();
    expect([first.status, (first.body as readonly Buffer[]).length > 1]).toEqual([200, true]);
    const second = list();
    expect(asked).toBe(1);
    first.onTaken?.();
    const { status, onTaken } = await second;
    expect([status, asked]).toEqual([200, 2]);
    onTaken?.();
  });

  test("a preview takes turns with the lists of its guild: one is under way at first", async () => {
    const begun: ((view: unknown) => void)[] = [];
    const answer = answersOf(
      requestSteps({ ...parts, call: () => new Promise((resolve) => void begun.push(resolve)) }),
    );
    const preview = () =>
      Promise.resolve(answer(postRequest("/v1/announcement/preview", { guild_id: "1", id: "a" }), "id-1"));
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

  test("of other requests of a guild four are under way at once; the next wait, and other guilds do not", async () => {
    const begun: ((view: unknown) => void)[] = [];
    const call = () => new Promise((resolve) => void begun.push(resolve));
    const everywhere = { ...admitted, caller: { ...caller, kind: "service", guilds: [] } as Caller };
    const admission = { admit: async () => everywhere, admitToGuild: () => everywhere };
    const answer = answersOf(requestSteps({ ...parts, call, admission }));
    const ask = (guild: string) => {
      return Promise.resolve(answer(postRequest("/v2/guild/settings/get", { guild_id: guild }), "id-1"));
    };
    const asked = Array.from({ length: 20 }, () => ask("1"));
    const other = ask("2");
    await until(() => begun.length >= 5, "four of one guild and one of the other");
    await pause(10);
    expect(begun).toHaveLength(5);
    for (let at = 0; at < 21; at += 1) {
      await until(() => begun.length > at, "the next request");
      begun[at]?.({});
    }
    await Promise.all([...asked, other]);
  });
});
