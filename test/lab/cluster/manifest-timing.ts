import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { PROJECT } from "../../real-parts/launched.ts";

/** The times that Kubernetes keeps to when it starts, asks and ends a pod. */
export interface ManifestTiming {
  /** Between a pod's leaving of its Service and the signal to its process. */
  readonly preStopMs: number;
  /** From the beginning of the end until the process is killed, `preStop` included. */
  readonly graceMs: number;
  readonly readinessEveryMs: number;
  /** So many bad answers in a row take a pod out. */
  readonly readinessFailures: number;
}

interface Probe {
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}

interface Patch {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly [
          { readonly readinessProbe: Probe; readonly lifecycle: { readonly preStop: { readonly sleep: Sleep } } },
        ];
      };
    };
  };
}

interface Sleep {
  readonly seconds: number;
}

/** Reads them from the manifest that every service has in common: what is tried is what is installed. */
export function manifestTiming(): ManifestTiming {
  const text = readFileSync(join(PROJECT, "k8s/base/every-service.patch.yaml"), "utf8");
  const { spec } = (parse(text) as Patch).spec.template;
  const [{ readinessProbe, lifecycle }] = spec.containers;
  return {
    preStopMs: lifecycle.preStop.sleep.seconds * 1_000,
    graceMs: spec.terminationGracePeriodSeconds * 1_000,
    readinessEveryMs: readinessProbe.periodSeconds * 1_000,
    readinessFailures: readinessProbe.failureThreshold,
  };
}
