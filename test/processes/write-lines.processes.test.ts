import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { isRead } from "../../mixins/actions/contract-action.ts";
import { IMPORT_PATH } from "../../services/api/imports/calendar-import.ts";
import { ROUTES } from "../../services/api/route-table.ts";
import { EVERY_ACTION } from "../../services/contracts/every-action.ts";
import { importEvents } from "../../services/contracts/event-import.contract.ts";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { EVERY_WRITE, type WriteRequest, WRITTEN_TEXT } from "../fixtures/every-write.ts";
import { GuildcalProcess, post } from "../harness/guildcal-process.ts";
import { removeFolder } from "../harness/remove-folder.ts";
import { vcalendar } from "../harness/import-guild.ts";

const FIRST_KEY = "a-key-of-twenty-characters-or-more";
const FIELDS = ["level", "action", "keyId", "guildId", "id", "revision", "requestId", "traceId"];
const WRITES = ROUTES.filter(({ contract }) => !isRead(contract));
const DRY_RUNS = [...WRITES.filter(({ dryRun }) => dryRun !== undefined).map(({ paths: [path] }) => path), IMPORT_PATH];
const REPEATED = WRITES.filter(({ acceptsIdempotencyKey }) => acceptsIdempotencyKey).map(({ paths: [path] }) => path);
const PATHS = Object.keys(EVERY_WRITE);
const IMPORTED = vcalendar(`UID:1\nSUMMARY:${WRITTEN_TEXT}\nDTSTART:20300105T190000Z\nDURATION:PT1H`);

const actionOf = (path: string) => WRITES.find(({ paths }) => paths[0] === path)?.contract ?? importEvents;
const traceOf = (path: string) => String(PATHS.indexOf(path) + 1).padStart(32, "0");
const requestIdOf = (kind: Kind, path: string) => `${kind}-${PATHS.indexOf(path)}`;

/** The requests to an endpoint. */
type Kind = "write" | "refused" | "dry-run" | "repeated";

/** The response to a write that was performed. */
interface Performed {
  readonly id: unknown;
  readonly revision: string | undefined;
  readonly secrets: readonly string[];
}

/** The lines of requests to each endpoint that writes: the log of all processes until their end. */
describe("the log of writes", () => {
  let folder: string;
  let guildcal: GuildcalProcess;
  let baseUrl: string;
  let key: string;
  let keyId: string;
  let ids: Record<string, string> = {};
  const performed = new Map<string, Performed>();

  async function send(
    kind: Kind,
    path: string,
    body: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const isImport = path === IMPORT_PATH;
    const query = isImport ? `?${new URLSearchParams(body as Record<string, string>).toString()}` : "";
    const requestId = requestIdOf(kind, path);
    const response = await fetch(baseUrl + path + query, {
      method: "POST",
      headers: {
        authorization: key,
        "content-type": isImport ? "text/calendar" : "application/json",
        "x-request-id": requestId,
        traceparent: `00-${traceOf(path)}-${"1".repeat(16)}-01`,
        ...headers,
      },
      body: isImport ? IMPORTED : JSON.stringify(body),
    });
    const fields = (await response.json()) as Record<string, unknown>;
    const isExpected = (response.status === 200) === (kind !== "refused");
    if (!isExpected || response.headers.get("x-request-id") !== requestId) {
      throw new Error(`${requestId} ${path} returned ${response.status} ${JSON.stringify(fields)}`);
    }
    return { fields, revision: response.headers.get("etag")?.replaceAll('"', "") };
  }

  async function perform(path: string, { body, refused, refusedHeaders }: WriteRequest): Promise<void> {
    const request = body(ids);
    await send("refused", path, { ...request, ...refused }, refusedHeaders);
    if (DRY_RUNS.includes(path)) await send("dry-run", path, { ...request, dry_run: true });
    const idempotency = REPEATED.includes(path) ? { "idempotency-key": path } : {};
    const { revision, fields } = await send("write", path, request, idempotency);
    if (REPEATED.includes(path)) await send("repeated", path, request, idempotency);
    if (typeof fields["id"] === "string") ids = { ...ids, [path]: fields["id"] };
    const secrets = ["key", "secret", "path"].flatMap((name) => (name in fields ? [String(fields[name])] : []));
    performed.set(path, { id: EVERY_WRITE[path]?.recordId(ids), revision, secrets });
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "guildcal-writes-"));
    const port = String(await freePort(0));
    baseUrl = `http://127.0.0.1:${port}`;
    guildcal = new GuildcalProcess("nats", { DATA_DIR: folder, PORT: port, API_KEY: FIRST_KEY });
    await guildcal.printed(/guildcal is ready/);
    const created = await post(baseUrl, FIRST_KEY, "/admin/keys/create", {
      kind: "operator",
      access: "write",
      label: "the writer",
    });
    ({ key, id: keyId } = created.body as { key: string; id: string });
    for (const path of PATHS) await perform(path, EVERY_WRITE[path]!);
    await guildcal.end();
  });
  afterAll(async () => {
    await guildcal.end("SIGKILL");
    await removeFolder(folder);
  });

  /** The lines of the writes of a request. */
  function linesOf(kind: Kind, path: string): Record<string, unknown>[] {
    const lines = guildcal.output.split("\n").filter((line) => line.startsWith("{"));
    return lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg, requestId }) => msg === "write" && requestId === requestIdOf(kind, path));
  }

  test("every endpoint that writes is in the table", () => {
    expect(PATHS.toSorted()).toEqual([...WRITES.map(({ paths: [path] }) => path), IMPORT_PATH].toSorted());
  });

  test("every action that writes is called, also those that no endpoint calls itself", () => {
    const logged = new Set(PATHS.flatMap((path) => linesOf("write", path).map(({ action }) => String(action))));
    const actions = EVERY_ACTION.filter((contract) => !isRead(contract)).map(({ name }) => name);
    expect([...logged].toSorted()).toEqual(actions.toSorted());
  });

  test.each(PATHS)("a write by %s is one line at info, with the key, the record and the request", (path) => {
    const { furtherActions = [] } = EVERY_WRITE[path]!;
    const { name: action } = actionOf(path);
    const lines = linesOf("write", path);
    expect(lines.map((line) => String(line["action"])).toSorted()).toEqual([action, ...furtherActions].toSorted());
    const line = lines.find((each) => each["action"] === action)!;
    const { guild_id: guildId } = EVERY_WRITE[path]!.body(ids);
    const { id, revision } = performed.get(path)!;
    const record = { guildId, id, revision };
    const request = { requestId: requestIdOf("write", path), traceId: traceOf(path) };
    const expected = { level: "info", action, keyId, ...record, ...request };
    expect(Object.fromEntries(FIELDS.map((field) => [field, line[field]]))).toEqual(expected);
  });

  test.each(PATHS)("a write by %s that is refused has no line", (path) => {
    expect(linesOf("refused", path)).toEqual([]);
  });

  test.each(DRY_RUNS)("a dry run of %s has no line", (path) => {
    expect(linesOf("dry-run", path)).toEqual([]);
  });

  test.each(REPEATED)("a repetition by %s with the same Idempotency-Key has no line", (path) => {
    expect(linesOf("repeated", path)).toEqual([]);
  });

  test("no line contains a text or a secret of a request", () => {
    const secrets = [...performed.values()].flatMap((each) => each.secrets);
    expect(secrets.length).toBeGreaterThan(5);
    expect(guildcal.output).not.toContain(WRITTEN_TEXT);
    expect(secrets.filter((secret) => guildcal.output.includes(secret))).toEqual([]);
  });
});
