import { Readable } from "node:stream";
import type { IncomingMessage } from "node:http";
import { expect, describe, test } from "@jest/globals";
import { asError } from "../../../mixins/actions/contract-action.ts";
import { newWriteId } from "../../../mixins/mongo/write-id.ts";
import { responsesOf } from "../../../test/harness/web-service.ts";
import { ERRORS, type ErrorType, HTTP_ERRORS, type HttpErrorType, refuse } from "../../contracts/errors.ts";
import type { HttpResponse } from "../http/http-response.ts";
import { httpErrorResponse } from "../http/malformed-request.ts";
import { openapiText } from "./openapi-document.ts";
import { requestHandler, type RequestHandlerOptions } from "../request-handler.ts";
import { ROUTES } from "../route-table.ts";

const PATH = "/v1/announcement/get";
const standing = { policy: { name: "key", limit: 10, windowMs: 60_000 }, remaining: 9, resetMs: 60_000, waitMs: 0 };
const admitted = {
  caller: { keyId: "k", kind: "guild", access: "write", guilds: ["1"] },
  standings: [standing],
} as const;

/** The headers of every response, and of its body and connection. */
const OF_EVERY_ANSWER = new Set(["connection", "content-type", "x-request-id"]);

const { components } = JSON.parse(openapiText(ROUTES)) as {
  readonly components: { readonly responses: Readonly<Record<string, { readonly headers: object }>> };
};

/** The gateway's response to a request whose action rejects with the error. */
function responseTo(error: Error, { method = "POST", path = PATH, hasKey = true } = {}): Promise<HttpResponse> {
  const parts: RequestHandlerOptions = {
    knownPaths: [],
    runIdempotently: (_request, perform) => perform(newWriteId()),
    admission: {
      admit: async () => (hasKey ? admitted : { refusal: refuse("UNAUTHORIZED"), headers: {} }),
      admitToGuild: () => admitted,
    },
    clock: { now: () => 0 },
    call: async () => {
      throw error;
    },
    onDefect: () => undefined,
  };
  const body = Readable.from([Buffer.from(JSON.stringify({ guild_id: "1", id: "x" }))]);
  const headers = { authorization: "key", "content-type": "application/json" };
  const request = Object.assign(body, { method, url: path, headers }) as unknown as IncomingMessage;
  return responsesOf(requestHandler(parts))(request, "id");
}

/** Errors before the call of an action. All others can be errors of an action, also INTERNAL. */
const BEFORE_THE_ACTION: Partial<Record<ErrorType, () => Promise<HttpResponse>>> = {
  ROUTE_NOT_FOUND: () => responseTo(new Error("not called"), { path: "/nowhere" }),
  METHOD_NOT_ALLOWED: () => responseTo(new Error("not called"), { method: "PUT" }),
  UNAUTHORIZED: () => responseTo(new Error("not called"), { hasKey: false }),
};

const responses: readonly (readonly [code: string, status: number, response: () => Promise<HttpResponse>])[] = [
  ...Object.entries(ERRORS).map(([code, { status }]) => {
    const type = code as ErrorType;
    return [code, status, BEFORE_THE_ACTION[type] ?? (() => responseTo(asError(refuse(type))))] as const;
  }),
  ...Object.entries(HTTP_ERRORS).map(
    ([code, { status }]) => [code, status, async () => httpErrorResponse(code as HttpErrorType, "id")] as const,
  ),
];

const own = (headers: object) =>
  Object.keys(headers)
    .map((name) => name.toLowerCase())
    .filter((name) => !OF_EVERY_ANSWER.has(name))
    .toSorted();

describe("the headers of errors in the API document", () => {
  test("exist for the status of every error", () => {
    const statuses = [...new Set(responses.map(([, status]) => `Error${status}`))];
    expect(Object.keys(components.responses).toSorted()).toEqual(statuses.toSorted());
  });

  test.each([...new Set(responses.map(([, status]) => status))])(
    "of a %d are those that the gateway sends, with the request id",
    async (status) => {
      const sent = await Promise.all(
        responses.filter((each) => each[1] === status).map(([, , response]) => response()),
      );
      expect(sent.map((response) => response.status)).toEqual(sent.map(() => status));
      const { headers } = components.responses[`Error${status}`]!;
      const seen = new Set(sent.flatMap((response) => own(response.headers)));
      expect(own(headers)).toEqual([...seen].toSorted());
      expect(Object.keys(headers)).toContain("X-Request-Id");
    },
  );

  test("have Retry-After only if another attempt may succeed", () => {
    const withRetryAfter = Object.entries(components.responses).filter(([, { headers }]) => "Retry-After" in headers);
    expect(withRetryAfter.map(([name]) => name)).toEqual(["Error429", "Error503"]);
  });
});
