import { mkdir, mkdtemp, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { freePort } from "../../../services/launch/embedded/embedded-mongod.ts";
import { startProcess } from "../../harness/mongo-member.ts";
import { removeFolder } from "../../harness/remove-folder.ts";
import { until } from "../../harness/until.ts";
import { RULE_FILES } from "../../manifests/alert-rules.ts";
import { findProgram } from "../../manifests/program.ts";
import type { Replica } from "../cluster/replica.ts";
import type { RunningExporter } from "./exporters.ts";
import { NAMESPACE } from "./namespace.ts";

/** An alert that fires: its name, and its labels. */
export interface FiringAlert {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A real Prometheus with the rules of the manifests. */
export interface Prometheus {
  /** Replaces the processes that are scraped beside the exporters. */
  scrape(replicas: readonly Replica[]): Promise<void>;
  firing(): Promise<readonly FiringAlert[]>;
  /**
   * Whether a query has a result now.
   *
   * @throws Error if Prometheus refuses the query.
   */
  hasResult(query: string): Promise<boolean>;
  stop(): Promise<void>;
}

/** As in pod-monitor.yaml. */
const SCRAPE_INTERVAL = "15s";

/**
 * The path of the program.
 *
 * @throws Error if Prometheus is neither on the PATH nor in the variable PROMETHEUS.
 */
export function prometheusProgram(): string {
  const program = findProgram("prometheus", "PROMETHEUS");
  if (program === undefined) throw new Error("prometheus is not on the PATH; it is in Debian's package of this name");
  return program;
}

/** @throws Error if Prometheus is not installed. */
export async function startPrometheus(exporters: readonly RunningExporter[]): Promise<Prometheus> {
  const program = prometheusProgram();
  const directory = await mkdtemp(join(tmpdir(), "guildcal-prometheus-"));
  const port = await freePort(0);
  const targets = join(directory, "targets.json");
  await mkdir(join(directory, "rules"));
  for (const [name, rules] of RULE_FILES) await writeFile(join(directory, "rules", name), stringify(rules));
  await writeFile(targets, "[]");
  const config = {
    global: { scrape_interval: SCRAPE_INTERVAL, evaluation_interval: SCRAPE_INTERVAL },
    rule_files: [join(directory, "rules", "*.yaml")],
    scrape_configs: [
      { job_name: "services", file_sd_configs: [{ files: [targets], refresh_interval: "5s" }] },
      ...exporters.map(({ scrapeConfig }) => scrapeConfig),
    ],
  };
  const file = join(directory, "prometheus.yaml");
  await writeFile(file, stringify(config));
  const running = startProcess(program, [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(directory, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--log.level=error",
  ]);
  const url = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isReady, "Prometheus is ready");
  return {
    async scrape(replicas) {
      const entries = replicas.map(({ service, name, probePort }) => ({
        targets: [`127.0.0.1:${probePort}`],
        labels: {
          part_of: "guildcal",
          component: "service",
          app: service,
          namespace: NAMESPACE,
          pod: `${service}-${name}`,
        },
      }));
      // Prometheus must not read half a file.
      await writeFile(`${targets}.new`, JSON.stringify(entries));
      await rename(`${targets}.new`, targets);
    },
    async firing() {
      const response = await fetch(`${url}/api/v1/alerts`);
      const { data } = (await response.json()) as AlertsResponse;
      return data.alerts
        .filter(({ state }) => state === "firing")
        .map(({ labels }) => ({ name: labels["alertname"] ?? "", labels }));
    },
    async hasResult(query) {
      const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}`);
      const { data, error } = (await response.json()) as QueryResponse;
      if (data === undefined) throw new Error(`Prometheus refuses ${query}: ${error}`);
      return data.result.length > 0;
    },
    async stop() {
      await running.kill();
      await removeFolder(directory);
    },
  };
}

interface AlertsResponse {
  readonly data: {
    readonly alerts: readonly { readonly state: string; readonly labels: Readonly<Record<string, string>> }[];
  };
}

interface QueryResponse {
  readonly data?: { readonly result: readonly unknown[] };
  readonly error?: string;
}
