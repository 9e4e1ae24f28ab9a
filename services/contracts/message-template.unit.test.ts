import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { paramsCheck } from "../../mixins/actions/check-params.ts";
import { updateAnnouncement } from "./announcements.contract.ts";
import { updateGuildSettings } from "./guild-settings.contract.ts";
import { parseTemplate, type PlaceholderName, PLACEHOLDERS, type TemplatePart } from "./message-template.ts";

const NAMES = Object.keys(PLACEHOLDERS) as PlaceholderName[];
const literal = fc.string({ unit: fc.constantFrom("{", "}", "{{", "a", " ", "👩‍👩‍👧", "name", "\u0301"), minLength: 1 });
const placeholder = fc.constantFrom(...NAMES).map((name) => ({ placeholder: name }));

/** The text of parts: the reverse of the parser. */
function textOf(parts: readonly TemplatePart[]): string {
  const escaped = (text: string) => text.replaceAll(/[{}]/g, (brace) => brace + brace);
  return parts.map((part) => (typeof part === "string" ? escaped(part) : `{${part.placeholder}}`)).join("");
}

function merged(parts: readonly TemplatePart[]): TemplatePart[] {
  const result: TemplatePart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (typeof part === "string" && typeof last === "string") result[result.length - 1] = last + part;
    else result.push(part);
  }
  return result;
}

describe("a template", () => {
  test("is parsed to the parts that it was written from, whatever its literal texts", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(literal, placeholder)), (parts) => {
        expect(parseTemplate(textOf(parts))).toEqual({ parts: merged(parts) });
      }),
    );
  });

  test("of any text has parts that are written as the same text, or a problem at a brace", () => {
    const any = fc.string({ unit: fc.constantFrom("{", "}", "name", "start:date", "😀", ":", "x") });
    fc.assert(
      fc.property(any, (text) => {
        const parsed = parseTemplate(text);
        const isTrue =
          "parts" in parsed
            ? textOf(parsed.parts) === text
            : /[{}]/.test(Array.from(text)[parsed.problem.position - 1] ?? "");
        expect([text, isTrue]).toEqual([text, true]);
      }),
    );
  });

  test.each([
    ["{nam}", "unknown placeholder", 1],
    ["a {start:year}", "unknown placeholder", 3],
    ["{ name }", "unknown placeholder", 1],
    ["{}", "unknown placeholder", 1],
    ["{constructor}", "unknown placeholder", 1],
    ["😀😀{name", "unclosed brace", 3],
    ["{na{name}", "unclosed brace", 1],
    ["name}", "unopened brace", 5],
    ["{{name}", "unopened brace", 7],
    ["{{{name}}", "unopened brace", 9],
  ] as const)("such as %j has an %s at character %i", (text, kind, position) => {
    expect(parseTemplate(text)).toEqual({ problem: { kind, position } });
  });

  test.each([updateAnnouncement, updateGuildSettings])(
    "with an error is refused with its field, position and the known placeholders ($name)",
    (contract) => {
      const check = paramsCheck<never>(contract);
      const problemsOf = (template: unknown) => check({ guildId: "1", id: "x", template }).filter(isOfTemplate);
      expect(problemsOf({ title: "Hi {nam}", body: "{name", fields: ["TIMES", "START"] })).toMatchObject([
        {
          field: "template.title",
          code: "NOT_ALLOWED",
          message: "has an unknown placeholder at character 4: a literal brace is {{ or }}",
          allowed: NAMES,
        },
        {
          field: "template.body",
          code: "MALFORMED",
          message: expect.stringContaining("unclosed brace at character 1"),
        },
        { field: "template.fields[1]", code: "NOT_ALLOWED" },
      ]);
      expect(problemsOf({ title: "x".repeat(257), body: "x".repeat(4001), color: 1 })).toMatchObject([
        { field: "template.title", code: "TOO_LONG" },
        { field: "template.body", code: "TOO_LONG" },
        { field: "template.color", code: "NOT_ALLOWED" },
      ]);
      expect(problemsOf({ title: 7, body: "\ud800" })).toMatchObject([{ code: "WRONG_TYPE" }, { code: "MALFORMED" }]);
      expect(problemsOf({ title: "{name}", body: null, fields: [] })).toEqual([]);
      expect(problemsOf(null)).toEqual([]);
    },
  );
});

function isOfTemplate({ field }: { readonly field: string }): boolean {
  return field.startsWith("template");
}
