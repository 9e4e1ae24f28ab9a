import { describe, expect, test } from "@jest/globals";
import { declarationsIn, declarationsOf, javascriptIn } from "./emit.ts";

describe("the declarations of a module", () => {
  test("have its types unchanged, and the types of its values", () => {
    const text = `import { a } from "./a.ts";
import type { B } from "./b.ts";

/** About C. */
export interface C {
  readonly d: B;
}
export type * from "./b.ts";

/** About e. */
export const e: (f: string, g?: B) => Promise<C> = a;
export const LIST = [
  "x",
  "y",
] as const;
`;
    const declared = declarationsOf(text);
    expect(declared).not.toContain("./a");
    expect(declared).toContain('import type { B } from "./b.js";');
    expect(declared).toContain("/** About C. */\nexport interface C {\n  readonly d: B;\n}");
    expect(declared).toContain("/** About e. */\nexport declare const e: (f: string, g?: B) => Promise<C>;");
    expect(declared).toContain('export declare const LIST: readonly [\n  "x",\n  "y",\n];');
  });

  test.each([
    "export function f(): void {}",
    "export async function f() {}",
    "export class A {}",
    "export const a = 1;",
    "const a = 1;",
  ])("are refused where a type would have to be inferred: %s", (text) => {
    expect(() => declarationsOf(`${text}\n`)).toThrow(`no declaration can be made of: ${text}`);
  });

  test("are generated only from modules that the package exports", async () => {
    const files = await declarationsIn({
      index: 'import { a } from "./a.ts";\nexport type * from "./b.ts";\n\nexport const c: () => void = a;\n',
      a: "export function a(): void {}\n",
      b: 'import type { D } from "./d.ts";\n\nexport type B = D;\n',
      d: "export type D = 1;\n",
      e: "export type E = 1;\n",
    });
    expect(Object.keys(files).toSorted()).toEqual(["b.d.ts", "d.d.ts", "index.d.ts"]);
  });
});

test("JavaScript has no types, none of their comments, and no file for a module that contains only types", async () => {
  const files = await javascriptIn({
    a: "/** About A. */\ninterface A {}\n\n/** About f. */\nexport function f(a: A): A {\n  return a;\n}\n",
    b: 'import type { A } from "./a.ts";\nexport type B = A;\n',
    c: 'import { f } from "./a.ts";\nexport const c: unknown = f;\n',
  });
  expect(files).toEqual({
    "a.js": "/** About f. */\nexport function f(a) {\n  return a;\n}\n",
    "c.js": 'import { f } from "./a.js";\nexport const c = f;\n',
  });
});
