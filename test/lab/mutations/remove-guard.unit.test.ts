import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { PROJECT } from "../../harness/guildcal-process.ts";
import { applyEdits } from "./apply-edits.ts";
import type { InCode } from "./guard.ts";
import { editFor, optionsWithout } from "./remove-guard.ts";

const SOURCE = `const MAX = 5;
const LIMITS = { max: MAX, waitMs: 20 };
export async function take(waiting: string[], begin: () => void) {
  if (waiting.length > MAX) return false;
  if (waiting.length === 0) begin();
  await turn(waiting, begin);
  return true;
}
function turn(waiting: string[], begin: () => void) {
  return waiting.length > MAX ? waiting : [...waiting, begin];
}
`;

const without = (place: Omit<InCode, "file"> & ({ code: string } | { property: string }), source = SOURCE) =>
  applyEdits(source, [editFor({ file: "x.ts", ...place }, source)]);

describe("code that is removed from a source", () => {
  test("is a condition, with any operands", () => {
    expect(without({ in: "take", code: "$_ > MAX", without: "false" })).toContain("if (false) return false;");
  });

  test("is found if variables are renamed and the layout changes", () => {
    const other = SOURCE.replaceAll("waiting", "queue").replace("if (queue.length > MAX)", "if (queue.length\n > MAX)");
    expect(without({ in: "take", code: "$_ > MAX", without: "false" }, other)).toContain("if (false) return false;");
  });

  test("is a statement, which becomes an empty one", () => {
    expect(without({ code: "await turn($$$);", without: "" })).toContain("begin();\n  ;\n  return true;");
    expect(without({ in: "take", code: "$_();", without: "" })).toContain("=== 0) ;\n");
  });

  test("is a property with the comma after it, or before the last one", () => {
    expect(without({ property: "max: $_", without: "" })).toContain("{  waitMs: 20 }");
    expect(without({ property: "waitMs: $_", without: "" })).toContain("{ max: MAX }");
  });

  test("is replaced by parts of itself", () => {
    expect(without({ code: "turn($FIRST, $$$OTHERS)", without: "done($$$OTHERS, $FIRST)" })).toContain(
      "await done(begin, waiting);",
    );
    expect(without({ code: "{ max: $_, $$$OTHERS }", without: "{ $$$OTHERS }" })).toContain("LIMITS = { waitMs: 20 };");
  });

  test("is refused if it matches no place, or two", () => {
    expect(() => without({ code: "$_ > LEAST", without: "false" })).toThrow("x.ts: $_ > LEAST: 0 places");
    expect(() => without({ code: "$_ > MAX", without: "false" })).toThrow("x.ts: $_ > MAX: 2 places");
    expect(() => without({ in: "give", code: "$_ > MAX", without: "false" })).toThrow("x.ts: give: 0 places");
  });

  test("may be several parts of one source", () => {
    const edits = [
      editFor({ file: "x.ts", in: "take", code: "$_ > MAX", without: "false" }, SOURCE),
      editFor({ file: "x.ts", code: "const MAX = $_;", without: "const MAX = Infinity;" }, SOURCE),
    ];
    expect(applyEdits(SOURCE, edits)).toBe(
      SOURCE.replace("= 5", "= Infinity").replace("waiting.length > MAX)", "false)"),
    );
  });

  test("is a text that occurs once in a file", () => {
    expect(
      applyEdits("CMD node --safe x", [
        editFor({ file: "Dockerfile", words: "--safe ", without: "" }, "CMD node --safe x"),
      ]),
    ).toBe("CMD node x");
    expect(() => editFor({ file: "Dockerfile", words: "a", without: "" }, "a a")).toThrow("Dockerfile: not once: a");
  });

  test("is missing in a process that starts without it", () => {
    const file = "services/contracts/list-limits.ts";
    const place = { file, code: "const MAX_RESPONSE_BYTES = $_;", without: 'const MAX_RESPONSE_BYTES = "it\'s out";' };
    const shown = execFileSync(process.execPath, ["-p", `require("${join(PROJECT, file)}").MAX_RESPONSE_BYTES`], {
      encoding: "utf8",
      env: { NODE_OPTIONS: optionsWithout([place]) },
    });
    expect([optionsWithout([]), shown]).toEqual(["", "it's out\n"]);
  });
});
