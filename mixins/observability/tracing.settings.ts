import { optionalSetting, type Setting } from "../settings/environment.ts";

const ratio: Setting<number> = {
  about:
    "Share of the traces that start here and are recorded, 0 to 1; a trace that a client started is recorded if its header says so",
  defaultText: "1",
  expects: "a number from 0 to 1",
  parse: (text) => (/^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/.test(text) ? Number(text) : undefined),
};

/** The settings of traces, under the names that OpenTelemetry gives them. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalSetting(
    "Base URL of a collector that takes OTLP over HTTP, such as http://otel-collector:4318; unset: no traces",
    "an http:// or https:// URL without a user, a query or a fragment",
    /^https?:\/\/[^\s/@?#]+(?:\/[^\s?#]*)?$/,
  ),
  OTEL_EXPORTER_OTLP_HEADERS: optionalSetting(
    "Headers for the collector, such as a key: `name=value`, separated by commas, values percent-encoded",
    "name=value pairs, separated by commas",
    /^[A-Za-z0-9-]+=[\x21-\x2b\x2d-\x7e]+(?:,[A-Za-z0-9-]+=[\x21-\x2b\x2d-\x7e]+)*$/,
  ),
  OTEL_TRACES_SAMPLER_ARG: ratio,
};
