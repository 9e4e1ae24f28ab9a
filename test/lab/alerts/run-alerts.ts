import { appendFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { SERVICES } from "../../../services/contracts/service-names.ts";
import { PROJECT } from "../../harness/guildcal-process.ts";
import { startMongoSet } from "../../harness/mongo-set.ts";
import { until } from "../../harness/until.ts";
import { newClient } from "../cluster/client.ts";
import { API_KEY, type Installation, startInstallation } from "../cluster/installation.ts";
import { startMixedLoad } from "../cluster/mixed-load.ts";
import { readOptions, selectOnly } from "../options.ts";
import { type DashboardCheck, newDashboardCheck } from "./dashboard-check.ts";
import { type ExpectedAlert, type Failure, FAILURES } from "./failures.ts";
import { type RunningExporter, startExporters } from "./exporters.ts";
import { startGuildWithWebhook } from "./guild-with-webhook.ts";
import { type FiringAlert, type Prometheus, prometheusProgram, startPrometheus } from "./prometheus.ts";
import { sendRefusedPacket } from "./refused-packet.ts";

// Shows that a real Prometheus fires the alerts of the manifests on real failures (README.md).

const LOG = join(PROJECT, "alerts.log");
const CLIENTS = 2;
const QUIET_MS = 180_000;
/** Each alert that a row expects waits at most five minutes; the time until the next scrapes and evaluations is added. */
const FIRES_WITHIN_MS = 480_000;
const ENDS_WITHIN_MS = 300_000;
const LOOK_EVERY_MS = 1_000;

const nameOf = ({ name, labels = {} }: ExpectedAlert) => [name, ...Object.values(labels)].join(" ");
const isThat = ({ name, labels = {} }: ExpectedAlert, firing: FiringAlert) =>
  firing.name === name && Object.entries(labels).every(([label, value]) => firing.labels[label] === value);

/** Seconds until each alert fires; Infinity for one that does not fire in time. */
async function secondsUntil(
  prometheus: Prometheus,
  alerts: readonly ExpectedAlert[],
  isWanted: (isFiring: boolean) => boolean,
  withinMs: number,
): Promise<ReadonlyMap<ExpectedAlert, number>> {
  const began = performance.now();
  const seconds = new Map<ExpectedAlert, number>();
  const look = async () => {
    const firing = await prometheus.firing();
    for (const alert of alerts) {
      if (seconds.has(alert) || !isWanted(firing.some((each) => isThat(alert, each)))) continue;
      seconds.set(alert, (performance.now() - began) / 1_000);
    }
    return seconds.size === alerts.length;
  };
  await until(look, "the alerts", withinMs, LOOK_EVERY_MS).catch(() => undefined);
  return new Map(alerts.map((alert) => [alert, seconds.get(alert) ?? Infinity]));
}

function print(what: string, seconds: ReadonlyMap<ExpectedAlert, number>): boolean {
  for (const [alert, after] of seconds) {
    const when = after === Infinity ? `NOT ${what}` : `${what} after ${after.toFixed(0)} s`;
    process.stdout.write(`    ${nameOf(alert).padEnd(50)} ${when}\n`);
  }
  return [...seconds.values()].every((after) => after < Infinity);
}

async function runFailure(installation: Installation, prometheus: Prometheus, failure: Failure): Promise<boolean> {
  const { name, inject, during, after = [] } = failure;
  process.stdout.write(`${name}\n`);
  const already = (await prometheus.firing()).filter((each) => [...during, ...after].some((one) => isThat(one, each)));
  for (const each of already) process.stdout.write(`    ${each.name} fired before the failure\n`);
  const repair = await inject(installation);
  const fired = print("fires", await secondsUntil(prometheus, during, (isFiring) => isFiring, FIRES_WITHIN_MS));
  await repair();
  await prometheus.scrape(SERVICES.flatMap((service) => installation.replicas(service)));
  const firedLater = print(
    "fires since the repair",
    await secondsUntil(prometheus, after, (isFiring) => isFiring, FIRES_WITHIN_MS),
  );
  const ended = print("ends", await secondsUntil(prometheus, during, (isFiring) => !isFiring, ENDS_WITHIN_MS));
  return already.length === 0 && fired && firedLater && ended;
}

/** The failures without the alerts of exporters that do not run; a failure without any alert is only printed. */
function withRunningExporters(failures: readonly Failure[], exporters: readonly RunningExporter[]): Failure[] {
  const canFire = ({ exporter }: ExpectedAlert) =>
    exporter === undefined || exporters.some(({ image }) => image === exporter);
  const reduced = failures.map((failure) => ({
    ...failure,
    during: failure.during.filter(canFire),
    after: (failure.after ?? []).filter(canFire),
  }));
  const hasAlerts = ({ during, after }: (typeof reduced)[number]) => during.length + after.length > 0;
  for (const { name } of reduced.filter((failure) => !hasAlerts(failure))) {
    process.stdout.write(`${name}: NOT RUN, needs an exporter\n`);
  }
  return reduced.filter(hasAlerts);
}

/** Whether each query had a result. Some have none before something has failed. */
function printDashboard(dashboard: DashboardCheck): boolean {
  const without = dashboard.withoutResult();
  process.stdout.write(`${dashboard.queries} queries of the dashboard, ${without.length} without a result\n`);
  for (const [title, query] of without) process.stdout.write(`    ${title}: ${query}\n`);
  return without.length === 0;
}

/** Whether no alert fires without a failure. */
async function runQuiet(prometheus: Prometheus): Promise<boolean> {
  process.stdout.write("nothing fails\n");
  const end = performance.now() + QUIET_MS;
  const fired = new Set<string>();
  while (performance.now() < end) {
    for (const { name } of await prometheus.firing()) fired.add(name);
    await pause(LOOK_EVERY_MS);
  }
  process.stdout.write(`    ${fired.size === 0 ? "no alert" : [...fired].join(", ")}\n`);
  return fired.size === 0;
}

async function main(): Promise<boolean> {
  const { only } = readOptions({ only: [] });
  const selected = selectOnly(FAILURES, only, ({ name }) => name);
  await rm(LOG, { force: true });
  // Without it nothing is started.
  prometheusProgram();
  const installation = await startInstallation(startMongoSet);
  const exporters = await startExporters(installation);
  const chosen = withRunningExporters(selected, exporters);
  const prometheus = await startPrometheus(exporters);
  try {
    await prometheus.scrape(SERVICES.flatMap((service) => installation.replicas(service)));
    const load = startMixedLoad(newClient(installation.baseUrl, API_KEY), CLIENTS);
    const guild = await startGuildWithWebhook(installation.broker);
    const dashboard = newDashboardCheck(prometheus, exporters);
    const kept = [await runQuiet(prometheus)];
    await dashboard.look();
    for (const failure of chosen) {
      await sendRefusedPacket(installation.nats.url);
      kept.push(await runFailure(installation, prometheus, failure));
      await dashboard.look();
    }
    kept.push(printDashboard(dashboard) || only.length > 0);
    await guild.stop();
    await load.stop();
    const isGood = kept.every(Boolean);
    if (!isGood) await appendFile(LOG, installation.logs());
    return isGood;
  } finally {
    await prometheus.stop();
    await Promise.all(exporters.map((exporter) => exporter.stop()));
    await installation.stop();
  }
}

const isGood = await main();
process.stdout.write(isGood ? "Every alert fired and ended.\n" : `An alert did not: ${LOG} has the logs.\n`);
process.exit(isGood ? 0 : 1);
