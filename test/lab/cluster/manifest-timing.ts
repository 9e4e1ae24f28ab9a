import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { PROJECT } from "../../harness/guildcal-process.ts";

/** The times of a pod's probes and of its termination. */
export interface ManifestTiming {
  /** Time from the pod's removal from its Service to the signal to its process. */
  readonly preStopMs: number;
  /** Time from the start of termination until the process is killed, including `preStop`. */
  readonly graceMs: number;
  readonly readinessEveryMs: number;
  /** Number of failed probes in a row after which a pod gets no requests. */
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

/** Reads the times from the manifest that all services share, so that the trials use those of an installation. */
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
