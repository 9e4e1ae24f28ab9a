import { freePort } from "../../../services/launch/embedded/embedded-mongod.ts";
import { startProcess } from "../../harness/mongo-member.ts";
import { until } from "../../harness/until.ts";
import { EXPORTERS } from "../../manifests/exporters.ts";
import { matches, ofKind, rendered, type Workload, workloads } from "../../manifests/overlays.ts";
import { findProgram } from "../../manifests/program.ts";
import type { Installation } from "../cluster/installation.ts";
import { NAMESPACE } from "./namespace.ts";

/** An exporter of the manifests that scrapes the servers of the installation. */
export interface RunningExporter {
  /** The image of the manifest without its tag, as in `EXPORTERS`. */
  readonly image: string;
  /** The scrape configuration that the Prometheus operator makes of the PodMonitor. */
  readonly scrapeConfig: object;
  stop(): Promise<void>;
}

/** How an image of the manifests runs without a container. */
interface ExporterProgram {
  readonly name: string;
  readonly variable: string;
  /** The arguments of the manifest, with a port of this machine and the servers of the installation. */
  argumentsOf(inManifest: readonly string[], port: number, installation: Installation): readonly string[];
}

interface PodMonitor {
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly podMetricsEndpoints: readonly [
      {
        readonly path: string;
        readonly interval: string;
        readonly honorLabels?: boolean;
        readonly relabelings: readonly { readonly targetLabel: string; readonly replacement: string }[];
      },
    ];
  };
}

const PROGRAMS: Readonly<Record<string, ExporterProgram>> = {
  "percona/mongodb_exporter": {
    name: "mongodb_exporter",
    variable: "MONGODB_EXPORTER",
    argumentsOf: (inManifest, port, { mongo }) => [
      ...inManifest.filter((argument) => !argument.startsWith("--web.listen-address=")),
      `--web.listen-address=127.0.0.1:${port}`,
      `--mongodb.uri=mongodb://${mongo.hosts.join(",")}/admin`,
    ],
  },
  "natsio/prometheus-nats-exporter": {
    name: "prometheus-nats-exporter",
    variable: "NATS_EXPORTER",
    argumentsOf: (inManifest, port, { nats }) => [
      ...inManifest.filter((argument) => argument.startsWith("-") && !argument.startsWith("-port=")),
      "-addr=127.0.0.1",
      `-port=${port}`,
      ...nats.monitorUrls.map((url, at) => `nats-${at},${url}`),
    ],
  },
};

/** Starts the exporters whose programs are on the PATH, or in MONGODB_EXPORTER and NATS_EXPORTER. */
export async function startExporters(installation: Installation): Promise<readonly RunningExporter[]> {
  const manifests = rendered("production");
  const monitors = ofKind<PodMonitor>(manifests, "PodMonitor");
  const exporters = workloads(manifests).filter(({ labels }) => labels["app.kubernetes.io/component"] === "exporter");
  const started = await Promise.all(
    exporters.map((workload) => {
      const monitor = monitors.find(({ spec }) => matches(spec.selector.matchLabels, workload.labels));
      if (monitor === undefined) throw new Error(`${workload.name} has no PodMonitor`);
      return startExporter(workload, monitor, installation);
    }),
  );
  return started.filter((exporter) => exporter !== undefined);
}

async function startExporter(
  { name, containers: [container] }: Workload,
  { spec }: PodMonitor,
  installation: Installation,
): Promise<RunningExporter | undefined> {
  const image = (container?.image ?? "").replace(/:.*/, "");
  const program = PROGRAMS[image];
  if (program === undefined) throw new Error(`The lab cannot start ${image}`);
  const path = findProgram(program.name, program.variable);
  if (path === undefined) return undefined;
  const port = await freePort(0);
  const running = startProcess(path, program.argumentsOf(container?.args ?? [], port, installation));
  const [endpoint] = spec.podMetricsEndpoints;
  const responds = () =>
    fetch(`http://127.0.0.1:${port}${endpoint.path}`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(async () => running.hasEnded() || (await responds()), `${program.name} responds`);
  if (running.hasEnded()) throw new Error(`${program.name} does not start`);
  const relabelings = endpoint.relabelings.map(({ targetLabel, replacement }) => [targetLabel, replacement] as const);
  return {
    image,
    scrapeConfig: {
      job_name: name,
      metrics_path: endpoint.path,
      scrape_interval: endpoint.interval,
      honor_labels: endpoint.honorLabels ?? false,
      static_configs: [
        {
          targets: [`127.0.0.1:${port}`],
          labels: { namespace: NAMESPACE, pod: name, ...Object.fromEntries(relabelings) },
        },
      ],
    },
    stop: () => running.kill(),
  };
}

/** A query for each metric of a running exporter in `EXPORTERS`; it has a result if the metric has all labels of the table. */
export function queriesOfTable(exporters: readonly Pick<RunningExporter, "image">[]): readonly string[] {
  return exporters.flatMap(({ image }) =>
    Object.entries(EXPORTERS[image]?.metrics ?? {}).map(
      ([metric, labels]) => `${metric}{${labels.map((label) => `${label}!=""`).join(", ")}}`,
    ),
  );
}
