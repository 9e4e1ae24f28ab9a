import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "@jest/globals";
import { requestLine } from "./request-line.ts";

const lineOf = (url: string) =>
  requestLine({ request: { method: "POST", url } as IncomingMessage, requestId: "id-1", status: 404, ms: 1.26 });

describe("a request's line in the log", () => {
  test("has its method, path, status, time and id, and nothing of its query", () => {
    const line = { method: "POST", path: "/v1/x", status: 404, ms: 1.3, requestId: "id-1" };
    expect(lineOf("/v1/x?key=secret")).toEqual(line);
  });

  test("is one line of visible ASCII, whatever the path is, and not endless", () => {
    expect(lineOf("/a\r\nb\u001b[31m\u2028c\u0085d ")).toMatchObject({ path: "/a??b?[31m?c?d?" });
    expect(lineOf(`/${"x".repeat(1_000)}`)).toMatchObject({ path: `/${"x".repeat(199)}` });
  });
});
