import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "../../services/launch/embedded-mongod.ts";
import { Launched } from "../real-parts/launched.ts";

interface Document {
  readonly paths: Readonly<Record<string, { readonly post?: Operation }>>;
}

interface Operation {
  readonly requestBody: { readonly content: { readonly "application/json": { readonly example: object } } };
}

/** As the docs page uses it. */
interface ExampleIds {
  learn(path: string, response: object): void;
  replaceIn(body: string): string;
}

const KEY = "operator-key-of-the-docs-page";

describe("the docs page of a service that was started for the first time", () => {
  let directory: string;
  let service: Launched;
  let baseUrl: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-docs-"));
    const port = await freePort(0);
    baseUrl = `http://127.0.0.1:${port}`;
    service = new Launched("all", { DATA_DIR: directory, PORT: String(port), API_KEY: KEY });
    await service.printed(/guildcal is ready/);
  });
  afterAll(async () => {
    await service.end();
    await rm(directory, { recursive: true, force: true });
  });

  test("sends every example of the document with success, one after the other", async () => {
    const { paths } = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Document;
    const code = await (await fetch(`${baseUrl}/docs/example-ids.js`)).text();
    const page = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      readonly ExampleIds: new (paths: Document["paths"]) => ExampleIds;
    };
    const ids = new page.ExampleIds(paths);
    const failed: string[] = [];
    const operations = Object.entries(paths).filter(([, { post }]) => post !== undefined);
    for (const [path, { post }] of operations) {
      const { example } = post!.requestBody.content["application/json"];
      const response = await fetch(`${baseUrl}${path}`, {
        method: "POST",
        headers: { Authorization: KEY, "Content-Type": "application/json" },
        body: ids.replaceIn(JSON.stringify(example)),
      });
      const body = (await response.json()) as object;
      if (response.status === 200) ids.learn(path, body);
      else failed.push(`${path}: ${response.status} ${JSON.stringify(body)}`);
    }
    expect(operations.length).toBeGreaterThan(25);
    expect(failed).toEqual([]);
  });
});
