import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { renewedReadme } from "./readme-tables.ts";
import { SERVICES } from "../../services/contracts/service-names.ts";

const ROOT = dirname(dirname(import.meta.dirname));
const readme = readFileSync(join(ROOT, "README.md"), "utf8");
const spaced = (text: string) => text.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");

describe("the README", () => {
  test("has the settings and the endpoints that the code has; `npm run readme` renews them", () => {
    expect(readme).toMatch(/`PORT`[\s\S]*`\/v1\/announcement\/get`/);
    expect(spaced(readme)).toBe(spaced(renewedReadme(readme)));
  });

  test("names no command that package.json lacks", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: object };
    const named = [...readme.matchAll(/npm run ([a-z:-]+)/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((name) => !Object.hasOwn(scripts, name as string))).toEqual([]);
  });

  test("names every service", () => {
    for (const service of SERVICES) expect(readme).toContain(`services/${service}`);
  });
});
