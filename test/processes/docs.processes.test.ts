import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { GuildcalProcess } from "../harness/guildcal-process.ts";
import { removeFolder } from "../harness/remove-folder.ts";

interface Document {
  readonly paths: Readonly<Record<string, { readonly post?: Operation }>>;
  readonly components: { readonly responses: Readonly<Record<string, Said>> };
}

/** The documented headers of a response. */
interface Said {
  readonly $ref?: string;
  readonly headers?: object;
}

interface Operation {
  readonly responses: Readonly<Record<number, Said>>;
  readonly requestBody: { readonly content: { readonly "application/json"?: { readonly example: object } } };
}

/** The document in the form that the docs page uses. */
interface ExampleIds {
  learn(path: string, response: object): void;
  replaceIn(body: string): string;
}

/** The headers of HTTP, and those of all responses. */
const COMMON_HEADERS = new Set([
  "cache-control",
  "connection",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding",
  "x-content-type-options",
]);

const KEY = "operator-key-of-the-docs-page";

describe("the docs page of a newly started service", () => {
  let directory: string;
  let service: GuildcalProcess;
  let baseUrl: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-docs-"));
    const port = await freePort(0);
    baseUrl = `http://127.0.0.1:${port}`;
    service = new GuildcalProcess("all", { DATA_DIR: directory, PORT: String(port), API_KEY: KEY });
    await service.printed(/guildcal is ready/);
  });
  afterAll(async () => {
    await service.end();
    await removeFolder(directory);
  });

  test("sends every example of the document successfully, one after the other", async () => {
    const { paths } = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Document;
    const code = await (await fetch(`${baseUrl}/docs/example-ids.js`)).text();
    const page = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      readonly ExampleIds: new (paths: Document["paths"]) => ExampleIds;
    };
    const ids = new page.ExampleIds(paths);
    const failed: string[] = [];
    const operations = Object.entries(paths).filter(([, { post }]) => post !== undefined);
    const ofOtherBodies: string[] = [];
    for (const [path, { post }] of operations) {
      const json = post!.requestBody.content["application/json"];
      if (json === undefined) {
        ofOtherBodies.push(path);
        continue;
      }
      const { example } = json;
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
    // The import takes an iCalendar body; its example is sent in imports.nats.test.ts.
    expect(ofOtherBodies).toEqual(["/v2/calendar/import"]);
    expect(failed).toEqual([]);
  });

  const GET = "/v2/events/get";
  const GUILD = { guild_id: "375357265198317579", calendar_number: 1 };
  test.each<
    [
      status: number,
      path: string,
      init: Omit<RequestInit, "headers"> & { readonly headers?: Readonly<Record<string, string>> },
    ]
  >([
    [200, "/v2/guild/settings/get", { body: JSON.stringify(GUILD) }],
    [400, GET, { body: "{}" }],
    [401, GET, { body: "{}", headers: { Authorization: "nobody" } }],
    [404, GET, { body: JSON.stringify({ ...GUILD, event_id: "none" }) }],
    [405, GET, { method: "PUT", body: "{}" }],
    [412, "/v2/guild/settings/update", { body: JSON.stringify(GUILD), headers: { "If-Match": '"0"' } }],
    [413, GET, { body: " ".repeat(70_000) }],
    [415, GET, { body: "{}", headers: { "Content-Type": "text/plain" } }],
  ])("a %d of %s has exactly the documented headers", async (status, path, { headers = {}, ...init }) => {
    const { paths, components } = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Document;
    const said = paths[path]!.post!.responses[status]!;
    const { headers: described = {} } =
      said.$ref === undefined ? said : components.responses[said.$ref.split("/").at(-1)!]!;
    const usual = { Authorization: KEY, "Content-Type": "application/json" };
    const reply = await fetch(`${baseUrl}${path}`, { method: "POST", ...init, headers: { ...usual, ...headers } });
    expect(reply.status).toBe(status);
    const own = [...reply.headers.keys()].filter((name) => !COMMON_HEADERS.has(name));
    expect(own.toSorted()).toEqual(
      Object.keys(described)
        .map((name) => name.toLowerCase())
        .toSorted(),
    );
  });
});
