import { monitoringProblems } from "./monitoring-schema.ts";
import type { Manifest } from "./kustomization.ts";

/** A compiled JSON schema of kubernetes-models. */
interface Validate {
  (manifest: unknown): boolean;
  errors?: readonly { readonly instancePath: string; readonly message?: string; readonly keyword: string }[] | null;
}

const SCHEMAS: Readonly<Record<string, string>> = {
  "apps/v1 Deployment": "IoK8sApiAppsV1Deployment",
  "apps/v1 StatefulSet": "IoK8sApiAppsV1StatefulSet",
  "autoscaling/v2 HorizontalPodAutoscaler": "IoK8sApiAutoscalingV2HorizontalPodAutoscaler",
  "networking.k8s.io/v1 Ingress": "IoK8sApiNetworkingV1Ingress",
  "networking.k8s.io/v1 NetworkPolicy": "IoK8sApiNetworkingV1NetworkPolicy",
  "policy/v1 PodDisruptionBudget": "IoK8sApiPolicyV1PodDisruptionBudget",
  "v1 ConfigMap": "IoK8sApiCoreV1ConfigMap",
  "v1 Namespace": "IoK8sApiCoreV1Namespace",
  "v1 Secret": "IoK8sApiCoreV1Secret",
  "v1 Service": "IoK8sApiCoreV1Service",
  "v1 ServiceAccount": "IoK8sApiCoreV1ServiceAccount",
};

/** What is wrong with a manifest by Kubernetes' schemas: types, what must be there, and what nobody knows. */
export async function schemaProblems(manifest: Manifest): Promise<string[]> {
  const type = `${manifest.apiVersion} ${manifest.kind}`;
  const name = `${manifest.kind} ${manifest.metadata.name}`;
  const schema = SCHEMAS[type];
  const problems = schema === undefined ? monitoringProblems(type, manifest) : await schemaErrors(schema, manifest);
  return problems.map((problem) => `${name}: ${problem}`);
}

async function schemaErrors(schema: string, manifest: Manifest): Promise<string[]> {
  const { validate } = (await import(`kubernetes-models/_schemas/${schema}`)) as { validate: Validate };
  const watch = new ReadWatch();
  if (!validate(watch.over(manifest))) {
    return (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} breaks ${keyword}`);
  }
  return watch.unread(manifest).map((path) => `${path} is unknown`);
}

/**
 * Sees which fields a validator reads. The schemas let unknown fields pass; but a validator reads every field that
 * its schema knows, and so what it never read is what nobody knows.
 */
class ReadWatch {
  readonly #read = new Map<object, Set<string | symbol>>();
  readonly #watched = new Map<object, object>();

  over<T>(value: T): T {
    if (typeof value !== "object" || value === null) return value;
    const known = this.#watched.get(value);
    if (known !== undefined) return known as T;
    const seen = new Set<string | symbol>();
    const watched = new Proxy(value, {
      get: (target, key) => {
        seen.add(key);
        return this.over(Reflect.get(target, key));
      },
    });
    this.#read.set(value, seen);
    this.#watched.set(value, watched);
    return watched;
  }

  /** The paths of fields that were not read. */
  unread(value: unknown, path = ""): string[] {
    if (typeof value !== "object" || value === null) return [];
    const seen = this.#read.get(value);
    return Object.entries(value).flatMap(([key, item]) =>
      seen?.has(key) === true ? this.unread(item, `${path}/${key}`) : [`${path}/${key}`],
    );
  }
}
