import { describe, expect, test } from "@jest/globals";
import { withTimeouts, OperationTimeout } from "./timeout.ts";

const never = new Promise<string>(() => {});
const bounded = withTimeouts(
  { slow: () => never, quick: (text: string) => Promise.resolve(text), bad: () => Promise.reject(new Error("no")) },
  () => 20,
);

describe("operations with a time limit", () => {
  test("an operation that never responds is rejected", async () => {
    await expect(bounded.slow()).rejects.toBeInstanceOf(OperationTimeout);
  });

  test("a response and an error pass unchanged", async () => {
    await expect(bounded.quick("yes")).resolves.toBe("yes");
    await expect(bounded.bad()).rejects.toThrow("no");
  });
});
