import FastestValidator, { type ValidationSchema } from "fastest-validator";
import type { Manifest } from "./kustomization.ts";

const ALERT = {
  type: "object",
  strict: true,
  props: {
    alert: { type: "string", pattern: /^[A-Z][A-Za-z]+$/ },
    expr: "string",
    for: { type: "string", pattern: /^\d+[sm]$/ },
    labels: {
      type: "object",
      strict: true,
      props: { severity: { type: "enum", values: ["warning", "critical"] } },
    },
    annotations: {
      type: "object",
      strict: true,
      props: { summary: "string", description: "string", runbook_url: { type: "url" } },
    },
  },
};

const RECORDING = {
  type: "object",
  strict: true,
  props: { record: { type: "string", pattern: /^namespace:[a-z_]+:[a-z0-9_]+$/ }, expr: "string" },
};

/** The fields of the Prometheus operator's kinds that the manifests use; no npm package has its schemas. */
const SPECS: Readonly<Record<string, ValidationSchema>> = {
  "monitoring.coreos.com/v1 PodMonitor": {
    selector: { type: "object", strict: true, props: { matchLabels: { type: "record", key: "string" } } },
    podMetricsEndpoints: {
      type: "array",
      min: 1,
      items: {
        type: "object",
        strict: true,
        props: {
          port: "string",
          path: "string",
          interval: { type: "string", pattern: /^\d+s$/ },
          honorLabels: { type: "boolean", optional: true },
          relabelings: {
            type: "array",
            items: {
              type: "object",
              strict: true,
              props: {
                sourceLabels: { type: "array", items: "string", optional: true },
                replacement: { type: "string", optional: true },
                targetLabel: "string",
              },
            },
          },
        },
      },
    },
  },
  "monitoring.coreos.com/v1 PrometheusRule": {
    groups: {
      type: "array",
      items: {
        type: "object",
        strict: true,
        props: {
          name: "string",
          rules: {
            type: "array",
            min: 1,
            items: [ALERT, RECORDING],
          },
        },
      },
    },
  },
};

const Validator = FastestValidator as unknown as typeof FastestValidator.default;
const validator = new Validator({ haltOnFirstError: false });

/** The errors of a manifest of the Prometheus operator; other kinds are unknown. */
export function monitoringProblems(type: string, { spec }: Manifest & { readonly spec?: object }): string[] {
  const schema = SPECS[type];
  if (schema === undefined) return [`${type} is unknown`];
  const result = validator.compile({ $$strict: true, ...schema })(structuredClone(spec ?? {}));
  if (result instanceof Promise || result === true) return [];
  return result.map(({ field, type: rule, actual }) => `spec.${field} breaks ${rule} (${String(actual)})`);
}
