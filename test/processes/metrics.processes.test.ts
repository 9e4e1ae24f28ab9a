import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SERVICES } from "../../services/contracts/service-names.ts";
import { BUS_METRIC, OWN_METRICS, SHARED_METRICS } from "../fixtures/exported-metrics.ts";
import { RULES } from "../manifests/alert-rules.ts";
import { DASHBOARD_QUERIES } from "../manifests/dashboard.ts";
import { selectorsOf } from "../manifests/promql.ts";
import { freePorts, freePortsInARow } from "../harness/free-ports.ts";
import { GuildcalProcess, post } from "../harness/guildcal-process.ts";
import { until } from "../harness/until.ts";
import { removeFolder } from "../harness/remove-folder.ts";

const KEY = "a-key-of-twenty-characters-or-more";
const guild = { guild_id: "375357265198317579" };

/** The metrics of guildcal in rules and dashboard, without those of recording rules and exporters. */
const REQUIRED_METRICS = [...RULES.map(({ expr }) => expr), ...DASHBOARD_QUERIES.map(([, expr]) => expr)]
  .flatMap(selectorsOf)
  .map(({ metric }) => metric)
  .filter((metric) => /^(?:guildcal|nodejs|process)_/.test(metric));

/** Metrics of errors: a healthy installation has their HELP and TYPE lines, without a sample. */
const ERROR_METRICS = new Set(["guildcal_bus_refused_total", "guildcal_dispatch_errors_total"]);

describe("the metrics of a running installation", () => {
  let service: GuildcalProcess;
  let directory: string;
  let baseUrl: string;
  let probePort: number;

  beforeAll(async () => {
    probePort = await freePortsInARow(SERVICES.length);
    const [port] = await freePorts(1);
    baseUrl = `http://127.0.0.1:${port}`;
    directory = await mkdtemp(join(tmpdir(), "guildcal-figures-"));
    service = new GuildcalProcess("nats", {
      DATA_DIR: directory,
      PORT: String(port),
      PROBE_PORT: String(probePort),
      API_KEY: KEY,
    });
    await service.printed(/guildcal is ready/);
  });
  afterAll(async () => {
    await service.end("SIGKILL");
    await removeFolder(directory);
  });

  /** The lines of each process's metrics. */
  function scrape(): Promise<string[][]> {
    return Promise.all(
      SERVICES.map(async (_, at) =>
        (await (await fetch(`http://127.0.0.1:${probePort + at}/metrics`)).text()).split("\n"),
      ),
    );
  }

  const hasSample = (lines: readonly string[], metric: string) =>
    lines.some((line) => line.startsWith(`${metric} `) || line.startsWith(`${metric}{`));

  test("include every metric in rules and dashboard after a post was sent", async () => {
    // Late enough that the announcement is stored before it is due, also on a busy machine.
    const start = Date.now() + 10_000;
    const event = { ...guild, calendar_number: 1, epoch_start: start, epoch_end: start + 60_000 };
    expect((await post(baseUrl, KEY, "/v2/events/create", event)).status).toBe(200);
    const announcement = { ...guild, channel: "375357265198317580", type: "UNIVERSAL", hours: 0, minutes: 0, info: "" };
    expect((await post(baseUrl, KEY, "/v1/announcement/create", announcement)).status).toBe(200);
    const isPosted = async () =>
      (await scrape()).some((lines) => hasSample(lines, "guildcal_post_lateness_seconds_count"));
    await until(isPosted, "a post is sent", 50_000);
    const responses = await scrape();
    expect(REQUIRED_METRICS.length).toBeGreaterThan(60);
    const missing = REQUIRED_METRICS.filter((metric) =>
      ERROR_METRICS.has(metric)
        ? !responses.some((lines) => lines.includes(`# TYPE ${metric} counter`))
        : !responses.some((lines) => hasSample(lines, metric)),
    );
    expect([...new Set(missing)]).toEqual([]);
  });

  test.each(SERVICES.map((name, at) => [name, at] as const))(
    "of %s are those of every process and its own ones, and its own gauges have a value",
    async (name, at) => {
      const own = OWN_METRICS[name];
      const linesOf = async () => (await scrape())[at] as readonly string[];
      const lines = await linesOf();
      const exported = lines.flatMap((line) => /^# TYPE (guildcal_\w+) /.exec(line)?.[1] ?? []);
      expect(exported.toSorted()).toEqual([BUS_METRIC, ...SHARED_METRICS, ...own].toSorted());
      const gauges = own.filter((metric) => lines.includes(`# TYPE ${metric} gauge`));
      const haveValues = async () => {
        const scraped = await linesOf();
        return gauges.every((metric) => hasSample(scraped, metric));
      };
      await until(haveValues, `${gauges.join(", ")} have a value`);
    },
  );

  test("show for each service, including the gateway, that it reaches its database", async () => {
    const lines = (await scrape()).flat().filter((line) => line.startsWith("guildcal_database_up"));
    expect(lines.toSorted()).toEqual(SERVICES.map((name) => `guildcal_database_up{service="${name}"} 1`).toSorted());
  });
});
