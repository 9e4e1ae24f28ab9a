import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";
import { readSources } from "../../../test/architecture/source-file.ts";

/** The imports that Node loads before it runs a file. */
const STATIC_IMPORT = /^(?:import|export) (?!type\b)(?:[^;"]*? from )?"(\.[^"]+)";/gm;

const texts = new Map(readSources("services", "mixins").map(({ path, text }) => [path, text]));

/** The project's files that are loaded with a file. */
function loadedWith(start: string): Set<string> {
  const loaded = new Set<string>();
  const open = [start];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (loaded.has(path)) continue;
    loaded.add(path);
    const imports = (texts.get(path) ?? "").matchAll(STATIC_IMPORT);
    for (const [, target = ""] of imports) open.push(join(dirname(path), target));
  }
  return loaded;
}

test("a process loads the code of a service only when it makes that service", () => {
  const loaded = [...loadedWith("services/launch/main.ts")];
  expect(loaded).toContain("services/launch/run/service-factories.ts");
  expect(loaded.filter((path) => path.endsWith(".service.ts"))).toEqual([]);
});
