import { describe, expect, test } from "@jest/globals";
import { operatorName } from "./operator-name.ts";

describe("the name of the operator in records of changes", () => {
  test("is that of the user, and the user's number where the system has no name for it", () => {
    expect(operatorName(() => "alex")).toBe("alex");
    const withoutEntry = () => {
      throw new Error("uv_os_get_passwd returned ENOENT");
    };
    expect(operatorName(withoutEntry)).toMatch(/^user \d+$/);
    expect(operatorName()).not.toBe("");
  });
});
