import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { generatedSources } from "./write-clients.ts";

test("the generated sources of the clients are up to date; `npm run clients` writes them", async () => {
  const sources = Object.entries(await generatedSources());
  expect(sources).toHaveLength(4);
  for (const [path, text] of sources)
    expect([path, readFileSync(join(import.meta.dirname, path), "utf8")]).toEqual([path, text]);
});
