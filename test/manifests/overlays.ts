import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Deployment, StatefulSet } from "kubernetes-types/apps/v1.d.ts";
import type { CronJob } from "kubernetes-types/batch/v1.d.ts";
import type { Container, PodSpec, PodTemplateSpec } from "kubernetes-types/core/v1.d.ts";
import { type Manifest, renderKustomization } from "./kustomization.ts";

export const K8S = join(dirname(dirname(import.meta.dirname)), "k8s");

/** The overlays that the others extend. */
export const OVERLAYS = ["dev", "production"] as const;

/** Every folder of overlays. */
export const EVERY_OVERLAY: readonly string[] = readdirSync(join(K8S, "overlays")).toSorted();

export function rendered(overlay: string): Manifest[] {
  return renderKustomization(join(K8S, "overlays", overlay));
}

export function ofKind<T extends object>(manifests: readonly Manifest[], kind: string): (Manifest & T)[] {
  return manifests.filter((manifest) => manifest.kind === kind) as (Manifest & T)[];
}

/** A manifest that creates pods, with the pods' labels and spec. */
export interface Workload {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly pod: PodSpec;
  readonly containers: readonly Container[];
  readonly manifest: Manifest & (Deployment | StatefulSet | CronJob);
}

export function workloads(manifests: readonly Manifest[]): Workload[] {
  const makers = [...ofKind<Deployment>(manifests, "Deployment"), ...ofKind<StatefulSet>(manifests, "StatefulSet")];
  return [
    ...makers.map((manifest) => workload(manifest, manifest.spec?.template)),
    ...ofKind<CronJob>(manifests, "CronJob").map((manifest) =>
      workload(manifest, manifest.spec?.jobTemplate.spec?.template),
    ),
  ];
}

function workload(manifest: Workload["manifest"], template: PodTemplateSpec | undefined): Workload {
  const pod = template?.spec as PodSpec;
  const containers = [...(pod.initContainers ?? []), ...pod.containers];
  return { name: manifest.metadata.name, labels: template?.metadata?.labels ?? {}, pod, containers, manifest };
}

export function matches(selector: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}
