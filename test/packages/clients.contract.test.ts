import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Client } from "../../clients/pack-client.ts";
import { ClientProject } from "../harness/client-project.ts";
import { PROJECT } from "../harness/guildcal-process.ts";

/** The types of a browser, and those of Node. */
const IN_A_BROWSER = { lib: ["es2023", "dom", "dom.asynciterable"], types: [] };
const NODE_TYPES = { types: ["node"], typeRoots: [join(PROJECT, "node_modules/@types")] };
const IN_NODE = { ...NODE_TYPES, lib: ["es2023"] };

/** The TypeScript code in the README of a client. */
function codeIn(client: Client): string {
  const text = readFileSync(join(PROJECT, "clients", client, "README.md"), "utf8");
  const blocks = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block!);
  if (blocks.length === 0) throw new Error(`the README of ${client} has no code`);
  return blocks.join("\n");
}

describe("the packed HTTP client, in an empty project", () => {
  let project: ClientProject;

  beforeAll(async () => (project = await ClientProject.make("http")));
  afterAll(() => project.end());

  test("contains JavaScript, declarations, its licence and its README, and has no dependency", () => {
    const folder = join(project.folder, "node_modules/@guildcal/http-client");
    const files = readdirSync(folder).toSorted();
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "client.js", "index.d.ts", "index.js"]));
    expect(files.filter((name) => !/\.(?:js|d\.ts)$|^(?:LICENSE|README\.md|package\.json)$/.test(name))).toEqual([]);
    expect(files.filter((name) => name.includes("test"))).toEqual([]);
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as object;
    expect(manifest).toMatchObject({ name: "@guildcal/http-client" });
    for (const field of ["private", "dependencies", "peerDependencies", "scripts"])
      expect(manifest).not.toHaveProperty(field);
    expect(readdirSync(join(project.folder, "node_modules/@guildcal"))).toEqual(["http-client"]);
  });

  test.each([
    ["a browser", IN_A_BROWSER],
    ["Node", IN_NODE],
  ])("has types for %s of each operation, which refuse unknown fields", async (_where, options) => {
    await project.write("use.ts", USE_OF_HTTP_TYPES);
    await expect(project.typeErrors(options)).resolves.toBe("");
  });

  test("has a README whose code passes the type check", async () => {
    await project.write("use.ts", codeIn("http"));
    await expect(project.typeErrors(IN_NODE)).resolves.toBe("");
  });

  test("reports a wrong type in a project", async () => {
    await project.write("use.ts", USE_OF_HTTP_TYPES.replaceAll(/\/\/ @ts-expect-error.*/g, ""));
    const errors = await project.typeErrors(IN_A_BROWSER);
    const expected = USE_OF_HTTP_TYPES.match(/@ts-expect-error/g)!.length;
    expect(errors).toMatch(new RegExp(`and ${expected} errors`));
  });

  test("reports a wrong declaration of the package", async () => {
    const index = join(project.folder, "node_modules/@guildcal/http-client/index.d.ts");
    const text = readFileSync(index, "utf8");
    writeFileSync(index, text.replace("(options: ClientOptions)", "(options: NoSuchType)"));
    await project.write("use.ts", USE_OF_HTTP_TYPES);
    await expect(project.typeErrors(IN_A_BROWSER)).resolves.toContain("NoSuchType");
    writeFileSync(index, text);
  });

  test("keeps the digits of an id, and returns the reason of a refusal", async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"guild_id":375357265198317579}');
    });
    await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
    await project.write(
      "run.js",
      `import { guildcalClient, isApiError, isNoResponseError } from "@guildcal/http-client";
const options = { baseUrl: "http://127.0.0.1:${(server.address() as AddressInfo).port}", key: "k" };
const { data } = await guildcalClient(options).request("/v2/guild/settings/get", { guild_id: 375357265198317579n });
console.log(data.guild_id);
const nowhere = guildcalClient({ ...options, baseUrl: "http://127.0.0.1:1", maxAttempts: 1 });
const error = await nowhere.request("/v2/guild/settings/get", { guild_id: "1" }).catch((reason) => reason);
console.log(isApiError(error), isNoResponseError(error));
`,
    );
    await expect(project.run("run.js")).resolves.toBe("375357265198317579\nfalse true\n");
    server.close();
  });
});

describe("the packed contracts, in an empty project", () => {
  let project: ClientProject;

  beforeAll(async () => (project = await ClientProject.make("contracts")));
  afterAll(() => project.end());

  test("have no dependency, also in their types", async () => {
    expect(readdirSync(join(project.folder, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
      "@guildcal",
    ]);
    await project.write("use.ts", USE_OF_CONTRACTS);
    await expect(project.typeErrors({ types: [] })).resolves.toBe("");
    await project.write("use.ts", USE_OF_CONTRACTS.replaceAll(/\/\/ @ts-expect-error.*/g, ""));
    await expect(project.typeErrors({ types: [] })).resolves.toMatch(/and 5 errors/);
  });

  test.each(["moleculer", "moleculer-0-14"])("match the types of a broker and a service of %s", async (moleculer) => {
    const fitting = await ClientProject.make("contracts");
    await fitting.link({ moleculer, nats: "nats" });
    await fitting.copy("examples/service/service.ts", "service.ts");
    await fitting.write("readme.ts", codeIn("contracts"));
    await expect(fitting.typeErrors(NODE_TYPES)).resolves.toBe("");
    await fitting.end();
  });

  test("export the values of an enumeration, and call a write with an id", async () => {
    await project.write(
      "run.js",
      `import { call, COLORS, on } from "@guildcal/contracts";
const caller = { call: async (name, params, { meta }) => [name, params.guildId, meta.writeId.length] };
console.log(COLORS.length, ...(await call(caller, "announcements.remove", { guildId: "7", id: "a" })));
console.log(Object.keys(on("announcement.posted", () => {})));
`,
    );
    await expect(project.run("run.js")).resolves.toBe("12 announcements.remove 7 36\n[ 'announcement.posted' ]\n");
  });
});

const USE_OF_HTTP_TYPES = `
import { guildcalClient, isApiError, type Event, type GuildSettings } from "@guildcal/http-client";

const client = guildcalClient({ baseUrl: "http://127.0.0.1:3000", key: "k" });
const guild = { guild_id: 1n };
const event = { ...guild, calendar_number: 1, epoch_start: 1, epoch_end: 2 };

const created = await client.request("/v2/events/create", event, { idempotencyKey: "n" });
const etag: string = created.etag;
await client.request("/v2/events/update", { ...event, event_id: created.data.id, name: null }, { ifMatch: etag });
const read: Event = (await client.request("/v2/events/get", { ...event, event_id: created.data.id })).data;
const settings: GuildSettings = (await client.request("/v2/guild/settings/get", guild)).data;
const id: string = settings.guild_id;
for await (const { keys } of client.pages("/admin/keys/list", { amount: 10 })) console.log(keys[0]?.guilds, read, id);
await client.modify("/v2/guild/settings", guild, ({ twelve_hour: isTwelve }) => (isTwelve ? { twelve_hour: false } : undefined));
const appear: number = (await client.dryRun("/v2/events/create", event)).data.appear;

// @ts-expect-error -- a read has no dry run
await client.dryRun("/v2/events/get", event);
// @ts-expect-error -- a dry run is a method of its own
await client.request("/v2/events/create", { ...event, dry_run: true });
// @ts-expect-error -- no such path
await client.request("/v2/events/dance", event);
// @ts-expect-error -- a number loses digits
await client.request("/v2/guild/settings/get", { guild_id: 375357265198317579 });
// @ts-expect-error -- the number of the calendar is required
await client.request("/v2/events/create", { guild_id: "1", epoch_start: 1, epoch_end: 1 });
// @ts-expect-error -- no such field
await client.request("/v2/guild/settings/update", { guild_id: "1", prefixes: "?" });
// @ts-expect-error -- a read takes no name
await client.request("/v2/guild/settings/get", guild, { idempotencyKey: "n" });
// @ts-expect-error -- a create compares no revision
await client.request("/v2/events/create", event, { ifMatch: etag });
// @ts-expect-error -- the response of a list has no revision
const none: string = (await client.request("/v2/events/list/ongoing", event)).etag;
// @ts-expect-error -- no pages
client.pages("/v2/events/get", event);
// @ts-expect-error -- no such code
isApiError(none, "NOT_FOUND");
`;

const USE_OF_CONTRACTS = `
import { call, type Color, isActionError, on } from "@guildcal/contracts";

declare const broker: { call(name: string, params: object, options?: object): Promise<unknown> };
const event = { guildId: "375357265198317579", calendarNumber: 1, startsAt: 1, endsAt: 2 };

export const id: string = (await call(broker, "calendar-events.create", { ...event, color: "RED" })).eventId;
export const none: void = await call(broker, "announcements.remove", { guildId: "1", id: "a" }, { retries: 2 });
export const color: Color | undefined = (await call(broker, "calendar-events.list", { ...event, from: 0, until: 1 }))[0]?.color;
export const events = on("announcement.posted", ({ guildId, lateMs }) => lateMs?.toFixed() ?? guildId.length);

// @ts-expect-error -- no such action
await call(broker, "calendar-events.dance", event);
// @ts-expect-error -- the number of the calendar is required
await call(broker, "calendar-events.create", { guildId: "1", startsAt: 1, endsAt: 2 });
// @ts-expect-error -- no such color
await call(broker, "calendar-events.create", { ...event, color: "PINK" });
// @ts-expect-error -- no such event
on("announcement.danced", () => undefined);
// @ts-expect-error -- no such code
isActionError(undefined, "NOT_FOUND");
`;
