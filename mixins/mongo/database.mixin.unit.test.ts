import { describe, expect, test } from "@jest/globals";
import mongoose from "mongoose";
import { isDatabaseUnavailable } from "./database.mixin.ts";

const { MongoNetworkTimeoutError, MongoServerError } = mongoose.mongo;
const serverError = (code: number) => new MongoServerError({ message: "refused", code });

describe("an unavailable database", () => {
  test.each([
    ["a server that does not respond", new MongoNetworkTimeoutError("timed out")],
    ["a server that is no longer the primary", serverError(10_107)],
    ["a transaction that is too large for the server's cache", serverError(313)],
    ["a statement for which the server's cache has no room now", serverError(365)],
  ])("is %s", (_what, error) => {
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  test.each([
    ["a duplicate key", serverError(11_000)],
    ["a defect", new TypeError("x is undefined")],
    ["no error", undefined],
  ])("is not %s", (_what, error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
  });
});
