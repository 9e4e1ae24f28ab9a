import { describe, expect, test } from "@jest/globals";
import { accessLogFields } from "./access-log.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const lineOf = (url: string) =>
  accessLogFields({
    request: { method: "POST", url, headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` } } as never,
    requestId: "id-1",
    status: 404,
    ms: 1.26,
  });

describe("the log line of a request", () => {
  test("has its method, path, status, time, id and trace, and nothing of its query", () => {
    const line = { method: "POST", path: "/v1/x", status: 404, ms: 1.3, requestId: "id-1", traceId: TRACE };
    expect(lineOf("/v1/x?key=secret")).toEqual(line);
  });

  test.each(["/v2/calendar/feed/secret.ics", "/api/v2/calendar/feed/secret.ics", "/v2/calendar/feed/secret.ic/x"])(
    "has no token of a feed: %s",
    (path) => {
      expect(JSON.stringify(lineOf(path))).not.toContain("secret");
      expect(lineOf(path)).toMatchObject({ path: expect.stringMatching(/\/v2\/calendar\/feed\/-$/) });
    },
  );

  test("is one line of visible ASCII of limited length, whatever the path is", () => {
    expect(lineOf("/a\r\nb\u001b[31m\u2028c\u0085d ")).toMatchObject({ path: "/a??b?[31m?c?d?" });
    expect(lineOf(`/${"x".repeat(1_000)}`)).toMatchObject({ path: `/${"x".repeat(199)}` });
  });
});
