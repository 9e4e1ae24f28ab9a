import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { monitoringProblems } from "./monitoring-schema.ts";
import type { Manifest } from "./kustomization.ts";

const ROOT = dirname(dirname(import.meta.dirname));

/** The modules of kubernetes-types with the kinds of the manifests. */
const KINDS: Readonly<Record<string, string>> = {
  "apps/v1 Deployment": "apps/v1",
  "apps/v1 StatefulSet": "apps/v1",
  "autoscaling/v2 HorizontalPodAutoscaler": "autoscaling/v2",
  "batch/v1 CronJob": "batch/v1",
  "batch/v1 Job": "batch/v1",
  "networking.k8s.io/v1 Ingress": "networking/v1",
  "networking.k8s.io/v1 NetworkPolicy": "networking/v1",
  "policy/v1 PodDisruptionBudget": "policy/v1",
  "v1 ConfigMap": "core/v1",
  "v1 Namespace": "core/v1",
  "v1 PersistentVolumeClaim": "core/v1",
  "v1 Secret": "core/v1",
  "v1 Service": "core/v1",
  "v1 ServiceAccount": "core/v1",
};

/** The type checker's errors in a file; line numbers begin with 1. */
interface Diagnostic {
  readonly message: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}

/**
 * Checks manifests against the Kubernetes API: types, missing fields and unknown fields. Each manifest becomes an object
 * literal of its kind's type, and the compiler checks these.
 */
export function schemaProblems(manifests: readonly Manifest[]): string[] {
  const lines = manifests.map((manifest) => {
    const module = KINDS[typeOf(manifest)];
    return module === undefined ? "" : literalOf(manifest, module);
  });
  const byType = typeErrors(lines).flatMap(({ message, labels: [label] }) => {
    const manifest = manifests[(label?.span.line ?? 0) - 1];
    return manifest === undefined ? [message] : [`${nameOf(manifest)}: ${message}`];
  });
  const others = manifests.filter((manifest) => KINDS[typeOf(manifest)] === undefined);
  return [
    ...byType,
    ...others.flatMap((manifest) =>
      monitoringProblems(typeOf(manifest), manifest).map((problem) => `${nameOf(manifest)}: ${problem}`),
    ),
  ];
}

const typeOf = ({ apiVersion, kind }: Manifest) => `${apiVersion} ${kind}`;
const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;

/** Code in one line per manifest, so that the line of an error is that of its manifest. */
function literalOf(manifest: Manifest, module: string): string {
  return `(${JSON.stringify(manifest)}) satisfies import("kubernetes-types/${module}").${manifest.kind};`;
}

function typeErrors(lines: readonly string[]): readonly Diagnostic[] {
  const folder = mkdtempSync(join(tmpdir(), "guildcal-manifests-"));
  try {
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    const compilerOptions = { strict: true, noEmit: true, module: "esnext", moduleResolution: "bundler", types: [] };
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    writeFileSync(join(folder, "manifests.ts"), [...lines, "export {};", ""].join("\n"));
    return (JSON.parse(checked(folder)) as { diagnostics: Diagnostic[] }).diagnostics;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The checker's report. It exits with 1 if it has found an error. */
function checked(folder: string): string {
  const flags = ["--allow", "all", "--type-aware", "--type-check", "--format", "json", "manifests.ts"];
  try {
    return execFileSync(join(ROOT, "node_modules/.bin/oxlint"), flags, { cwd: folder, encoding: "utf8" });
  } catch (error) {
    const { status, stdout } = error as { status?: number; stdout?: string };
    if (status === 1 && stdout !== undefined) return stdout;
    throw error;
  }
}
