import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { GuildcalProcess } from "../harness/guildcal-process.ts";
import { type OtlpCollector, type ReceivedSpan, startOtlpCollector } from "../harness/otlp-collector.ts";
import { until } from "../harness/until.ts";
import { removeFolder } from "../harness/remove-folder.ts";

const KEY = "a-key-of-twenty-characters-or-more";
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CLIENTS_SPAN = "00f067aa0ba902b7";
const NAME = "A name that no span contains";
const guild = { guild_id: "375357265198317579" };
const [SERVER, CLIENT] = [2, 3];
const POSTED_MS = 60_000;

/** Code that prints each file of OpenTelemetry that a process loads. */
const PRINT_LOADED = `data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from "node:module";
   registerHooks({ load(url, context, next) {
     if (url.includes("/@opentelemetry/") && !url.includes("/@opentelemetry/api/")) process.stderr.write("loaded " + url + "\\n");
     return next(url, context);
   } });`,
)}`;

/** A running guildcal, with an announcement of which one post is sent. */
class Installation {
  readonly service: GuildcalProcess;
  readonly #baseUrl: string;

  private constructor(service: GuildcalProcess, baseUrl: string) {
    this.service = service;
    this.#baseUrl = baseUrl;
  }

  static async start(mode: string, folder: string, env: Record<string, string>): Promise<Installation> {
    const port = String(await freePort(0));
    const service = new GuildcalProcess(mode, {
      DATA_DIR: folder,
      PORT: port,
      API_KEY: KEY,
      NODE_OPTIONS: `--import=${PRINT_LOADED}`,
      ...env,
    });
    await service.printed(/guildcal is ready/).catch(async (error: unknown) => {
      await service.end("SIGKILL");
      throw error;
    });
    return new Installation(service, `http://127.0.0.1:${port}`);
  }

  async post(path: string, body: object, headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
    const response = await fetch(this.#baseUrl + path, {
      method: "POST",
      headers: { authorization: KEY, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    if (response.status !== 200) throw new Error(`${path} returned ${response.status}`);
    return (await response.json()) as Record<string, unknown>;
  }

  /** Creates an event that is announced at its start in a few seconds, and waits for the post; returns the event's id. */
  async announce(): Promise<unknown> {
    const rule = { channel: "1", type: "UNIVERSAL", hours: 0, minutes: 0, info: "" };
    await this.post("/v1/announcement/create", { ...guild, ...rule }, { "x-request-id": "r-rule" });
    const startsAt = Date.now() + 4_000;
    const event = { ...guild, calendar_number: 1, name: NAME, epoch_start: startsAt, epoch_end: startsAt + 60_000 };
    const traced = { traceparent: `00-${TRACE}-${CLIENTS_SPAN}-01`, "x-request-id": "r-event" };
    const { id } = await this.post("/v2/events/create", event, traced);
    await until(() => this.lines("announcement settled").length > 0, "the post", POSTED_MS);
    return id;
  }

  /** The fields of the log lines with this message. */
  lines(text: string): Record<string, unknown>[] {
    const lines = this.service.output.split("\n").filter((line) => line.startsWith("{"));
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === text);
  }
}

describe("with a collector", () => {
  let folder: string;
  let collector: OtlpCollector;
  let guildcal: Installation;
  let isStarted = false;
  let eventId: unknown;
  const ofTrace = () => collector.spans.filter(({ traceId }) => traceId === TRACE);
  const named = (name: string, kind: number) =>
    collector.spans.find((span) => span.name === name && span.kind === kind && span.traceId === TRACE);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "guildcal-traces-"));
    collector = await startOtlpCollector();
    guildcal = await Installation.start("nats", folder, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: "x-collector-key=a%20key",
    });
    isStarted = true;
    eventId = await guildcal.announce();
    const isPost = ({ name, links }: ReceivedSpan) => name === "post announcement" && links.length > 0;
    await until(() => collector.spans.some(isPost), "the span of the post");
    await until(() => ofTrace().some(({ name }) => name === "aggregate"), "the span of the database");
    await until(() => named("POST /v2/events/create", SERVER) !== undefined, "the span of the request");
    await until(() => named("calendar-events.create", CLIENT) !== undefined, "the span of the call");
  });
  afterAll(async () => {
    if (isStarted) await guildcal.service.end("SIGKILL");
    await collector.stop();
    await removeFolder(folder);
  });

  test("a request is one trace from its client's span over the bus to the database", () => {
    const request = named("POST /v2/events/create", SERVER);
    expect(request).toMatchObject({ service: "guildcal-api", parentId: CLIENTS_SPAN });
    const call = named("calendar-events.create", CLIENT);
    expect(call).toMatchObject({ service: "guildcal-api", parentId: request?.spanId });
    const action = named("calendar-events.create", SERVER);
    expect(action).toMatchObject({ service: "guildcal-calendar-events", parentId: call?.spanId });
    const command = named("aggregate", CLIENT);
    expect(command).toMatchObject({ service: "guildcal-calendar-events", parentId: action?.spanId });
    const known = new Set([CLIENTS_SPAN, ...ofTrace().map(({ spanId }) => spanId)]);
    expect(ofTrace().filter(({ parentId }) => !known.has(parentId))).toEqual([]);
  });

  test("the post's span links to the requests that caused it", () => {
    const post = collector.spans.find(({ name }) => name === "post announcement");
    expect(post).toMatchObject({ service: "guildcal-dispatch", parentId: "", kind: CLIENT });
    expect(post?.traceId).not.toBe(TRACE);
    expect(post?.links).toEqual([{ traceId: TRACE, spanId: named("calendar-events.create", SERVER)?.spanId }]);
    expect(post?.attributes).toMatchObject({ "guildcal.outcome": "sent", "guildcal.request_id": "r-event" });
  });

  test("work outside a request has no trace", () => {
    const roots = collector.spans.filter(({ parentId }) => parentId === "");
    expect(new Set(roots.map(({ name }) => name))).toEqual(
      new Set(["POST /v1/announcement/create", "post announcement"]),
    );
  });

  test("the collector gets neither texts nor keys, and gets the configured headers", () => {
    const sent = Buffer.concat([...collector.bodies]).toString("latin1");
    expect(sent).toContain("calendar-events.create");
    expect(sent).not.toContain(NAME);
    expect(sent).not.toContain(KEY);
    expect(collector.headers[0]).toMatchObject({ "x-collector-key": "a key" });
  });

  test("each write has one log line, with the key, the record and the request", () => {
    const writes = guildcal.lines("write");
    expect(writes.map(({ requestId }) => requestId)).toEqual(["r-rule", "r-event"]);
    const action = "calendar-events.create";
    const line = { level: "info", guildId: guild.guild_id, action, id: eventId, revision: "1", traceId: TRACE };
    expect(writes[1]).toMatchObject(line);
    expect(writes[1]?.["keyId"]).toEqual(expect.any(String));
    expect(JSON.stringify(writes)).not.toContain(NAME);
  });

  test.each(["announcement posted", "announcement settled"])(
    "the log line `%s` has the request and the trace that caused it",
    (text) => {
      expect(guildcal.lines(text)).toMatchObject([{ requestId: "r-event", traceId: TRACE }]);
    },
  );

  test("the OpenTelemetry SDK is loaded (the control of the test without a collector)", () => {
    expect(guildcal.service.output).toMatch(/^loaded .*@opentelemetry\/sdk-trace/m);
  });
});

describe("without a collector", () => {
  test("the OpenTelemetry SDK is not loaded, and the log lines still have request and trace", async () => {
    const folder = await mkdtemp(join(tmpdir(), "guildcal-traces-off-"));
    const guildcal = await Installation.start("all", folder, {});
    try {
      await guildcal.announce();
      expect(guildcal.lines("announcement settled")).toMatchObject([{ requestId: "r-event", traceId: TRACE }]);
      expect(guildcal.lines("write")).toHaveLength(2);
      expect(guildcal.service.output).not.toMatch(/^loaded /m);
    } finally {
      await guildcal.service.end("SIGKILL");
      await removeFolder(folder);
    }
  });
});
