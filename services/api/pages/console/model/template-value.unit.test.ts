import { describe, expect, test } from "@jest/globals";
import { templateTexts, withTemplate } from "./template-value.js";

describe("the template of a guild in the form of its settings (D61)", () => {
  const stored = { lang: "ENGLISH", template: { body: "{info}", fields: ["TIMES"] } };

  test("has its texts as fields, which are empty without one", () => {
    expect(templateTexts(stored)).toEqual({ template_title: "", template_body: "{info}" });
    expect(templateTexts({ template: null })).toEqual({ template_title: "", template_body: "" });
    expect(templateTexts({})).toEqual({ template_title: "", template_body: "" });
  });

  test("keeps the text that was not changed, and the list of fields", () => {
    expect(withTemplate({ template_title: "{name}", lang: "SPANISH" }, stored)).toEqual({
      lang: "SPANISH",
      template: { title: "{name}", body: "{info}", fields: ["TIMES"] },
    });
  });

  test("is removed with its last text, and is absent without a change of it", () => {
    expect(withTemplate({ template_body: "" }, { template: { body: "{info}" } })).toEqual({ template: null });
    expect(withTemplate({ lang: "SPANISH" }, stored)).toEqual({ lang: "SPANISH" });
  });
});
