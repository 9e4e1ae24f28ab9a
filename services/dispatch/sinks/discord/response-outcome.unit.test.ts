import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { HttpResult } from "../../../../mixins/http/http-client.ts";
import { outcomeOf } from "./response-outcome.ts";

function responseWith(status: number, body: unknown): HttpResult {
  return { kind: "response", status, headers: {}, body: typeof body === "string" ? body : JSON.stringify(body) };
}

describe("the outcome of a response", () => {
  test("is sent with the id of the created message", () => {
    expect(outcomeOf(responseWith(200, { id: "123" }), 0)).toEqual({ kind: "sent", messageId: "123" });
  });

  test.each(["", "}{", "[]", "null", { id: 123 }, { id: "x" }])(
    "is a retry for a success without an id: %j",
    (body) => {
      expect(outcomeOf(responseWith(200, body), 0)).toMatchObject({ kind: "retry" });
    },
  );

  test.each([
    [401, 0],
    [401, 50014],
    [403, 40001],
    [403, 40333],
    [404, 0],
    [405, 0],
    [301, 0],
  ])("is halted for HTTP %i with code %i", (status, code) => {
    expect(outcomeOf(responseWith(status, { code, message: "m" }), 0)).toMatchObject({ kind: "halted" });
  });

  test.each([
    [404, 10003],
    [404, 10004],
    [403, 50001],
    [403, 50013],
    [400, 50008],
    [400, 50024],
    [403, 40058],
    [400, 50083],
    [403, 160005],
    [403, 99999],
  ])("is a rejection by the channel for HTTP %i with code %i", (status, code) => {
    expect(outcomeOf(responseWith(status, { code }), 0)).toMatchObject({ kind: "rejected", scope: "channel" });
  });

  test.each([
    [400, 50035],
    [400, 50006],
    [413, 40005],
    [400, 200000],
    [400, 240000],
    [400, 99999],
  ])("is a rejection of the payload for HTTP %i with code %i", (status, code) => {
    expect(outcomeOf(responseWith(status, { code }), 0)).toMatchObject({ kind: "rejected", scope: "payload" });
  });

  test.each([
    [429, 0],
    [429, 20016],
    [403, 20028],
    [400, 20029],
    [400, 130000],
    [408, 0],
    [500, 0],
    [502, 50001],
    [503, 0],
  ])("is a retry after the required wait for HTTP %i with code %i", (status, code) => {
    expect(outcomeOf(responseWith(status, { code }), 700)).toMatchObject({ kind: "retry", afterMs: 700 });
  });

  test.each([400, 403, 429, 502])("is a retry for HTTP %i with the page of a proxy", (status) => {
    expect(outcomeOf(responseWith(status, "<html>"), 0)).toMatchObject({ kind: "retry" });
  });

  test("is sent for an unknown message, which was delivered and deleted", () => {
    expect(outcomeOf(responseWith(404, { code: 10008 }), 0)).toEqual({ kind: "sent", messageId: "deleted" });
  });

  test("leaves the post in doubt without a response, but not without a connection", () => {
    const lost = { kind: "noResponse", reason: "timed out", mayHaveArrived: true } as const;
    expect(outcomeOf(lost, 0)).toEqual({ kind: "retry", reason: "timed out", afterMs: 0, undelivered: false });
    expect(outcomeOf({ ...lost, mayHaveArrived: false }, 0)).toMatchObject({ kind: "retry", undelivered: true });
  });

  test("is undelivered after a temporary refusal, but not after a failure of Discord", () => {
    expect(outcomeOf(responseWith(429, {}), 0)).toHaveProperty("undelivered", true);
    expect(outcomeOf(responseWith(403, { code: 20028 }), 0)).toHaveProperty("undelivered", true);
    expect(outcomeOf(responseWith(500, {}), 0)).not.toHaveProperty("undelivered");
    expect(outcomeOf(responseWith(200, "}{"), 0)).not.toHaveProperty("undelivered");
  });

  test("has status, code and text on one short line as its reason", () => {
    const message = `Missing\n\u202eAccess${"x".repeat(500)}`;
    const outcome = outcomeOf(responseWith(403, { code: 50001, message }), 0);
    expect(outcome).toMatchObject({ reason: expect.stringMatching(/^HTTP 403 50001 Missing Accessx{50,110}$/) });
  });

  test("never throws", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999 }), fc.oneof(fc.string(), fc.json()), (status, body) => {
        expect(["sent", "retry", "rejected", "halted"]).toContain(outcomeOf(responseWith(status, body), 0).kind);
      }),
    );
  });
});
