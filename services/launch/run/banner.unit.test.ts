import { describe, expect, test } from "@jest/globals";
import { banner } from "./banner.ts";

const baseUrl = "http://127.0.0.1:3000";

describe("the banner of a start", () => {
  test("shows the key of the first start, also in a curl command", () => {
    const text = banner({ baseUrl, firstKey: "gc_live_first_key", apiKeyIsSet: false });
    expect(text).toContain("API key   gc_live_first_key\n");
    expect(text).toContain("-H 'Authorization: gc_live_first_key'");
  });

  test("says how to create a key when the first key was shown at an earlier start", () => {
    const text = banner({ baseUrl, firstKey: undefined, apiKeyIsSet: false });
    expect(text).toContain("API key   shown at the first start; for another one: npm run keys\n");
  });

  test("does not say to set API_KEY when it is set", () => {
    const text = banner({ baseUrl, firstKey: undefined, apiKeyIsSet: true });
    expect(text).toContain("API key   the value of API_KEY; for others: npm run keys\n");
    expect(text).not.toContain("set API_KEY");
    expect(text).not.toContain("shown at the first start");
  });
});
