import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { anyObject, anyValue, nowAndThen, type Schema } from "./any-value.ts";
import { PROJECT } from "../../harness/guildcal-process.ts";

/** An endpoint of the OpenAPI document. */
interface Endpoint {
  readonly path: string;
  readonly request: Schema;
  /** An example of a valid request. */
  readonly example: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly requestBody: {
    readonly content: {
      readonly "application/json"?: { readonly schema: Schema; readonly example: Endpoint["example"] };
    };
  };
}

const document = JSON.parse(readFileSync(join(PROJECT, "services/api/openapi/openapi.json"), "utf8")) as {
  readonly paths: Readonly<Record<string, { readonly post?: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** The schema with every reference replaced by its schema. */
function resolved(schema: Schema): Schema {
  const text = JSON.stringify(schema, (_key, value: Schema & { readonly $ref?: string }) =>
    value?.$ref === undefined ? value : resolved(document.components.schemas[value.$ref.split("/").at(-1)!]!),
  );
  return JSON.parse(text) as Schema;
}

/** All endpoints of the document with a JSON body. */
export const ENDPOINTS: readonly Endpoint[] = Object.entries(document.paths).flatMap(([path, { post }]) => {
  const json = post?.requestBody.content["application/json"];
  if (json === undefined) return [];
  const { schema, example } = json;
  return [{ path, request: resolved(schema), example }];
});

/** The guilds of the fuzzer. The last one has no guild key. */
export const GUILDS = ["375357265198317579", "375357265198317580", "9223372036854775807"] as const;

/** The keys with which requests are sent. */
export const KEY_NAMES = ["guild 0", "guild 1", "reader of guild 0", "service", "operator"] as const;
export type KeyName = (typeof KEY_NAMES)[number];

/** A placeholder for the id of a record that an earlier step created; it is chosen when the step runs. */
export interface Picked {
  readonly picked: number;
}

export interface Step {
  readonly endpoint: Endpoint;
  readonly keyName: KeyName;
  readonly body: Readonly<Record<string, unknown>>;
  /** A raw text that is sent instead of the body. */
  readonly raw: string | null;
  readonly named: string | null;
  /** The header `If-Match`. */
  readonly ifMatch: string | null;
}

const DAY_MS = 86_400_000;
const EPOCH = 1_893_456_000_000;

/** Usually the example's value or a shared value, sometimes any value. */
function fieldValue(example: unknown, name: string, schema: Schema): fc.Arbitrary<unknown> {
  const usual = usualValue(name) ?? (example === undefined ? undefined : fc.constant(example));
  if (usual === undefined) return anyValue(schema);
  return fc.oneof({ weight: 30, arbitrary: usual }, { weight: 1, arbitrary: anyValue(schema) });
}

/** Values that several steps share: the same guilds, days and records. */
function usualValue(name: string): fc.Arbitrary<unknown> | undefined {
  switch (name) {
    case "guild_id":
      return fc.constantFrom(...GUILDS);
    case "id":
    case "event_id":
      return fc.nat(1_000_000).map((picked): Picked => ({ picked }));
    case "calendar_number":
      return fc.constantFrom(1, 1, 1, 1, 2);
    case "epoch_start":
      return fc.nat(60).map((day) => EPOCH + day * DAY_MS);
    case "epoch_end":
      return fc.nat(30).map((day) => EPOCH + (60 + day) * DAY_MS);
    default:
      return undefined;
  }
}

const RAW = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.json(),
  fc.constantFrom("{", "[]", '{"guild_id":1e400}', '{"a":'.repeat(50), "\ufeff{}", `{"x":"${"y".repeat(66_000)}"}`),
);

const IF_MATCH = fc.oneof(
  fc.constantFrom('"1"', '"2"', '"1.0"', '"0", "1", "2", "3"', "*", 'W/"1"', "1", '"', ","),
  fc.stringMatching(/^[\x21-\x7e]{1,30}$/),
);

/** Any request to any endpoint with any of the keys. */
export const anyStep: fc.Arbitrary<Step> = fc.constantFrom(...ENDPOINTS).chain((endpoint) =>
  fc.record({
    endpoint: fc.constant(endpoint),
    keyName: fc.constantFrom(...KEY_NAMES),
    body: anyObject(
      endpoint.request,
      (name, schema) => fieldValue(endpoint.example[name], name, schema),
      endpoint.example,
    ),
    raw: nowAndThen(RAW),
    named: nowAndThen(fc.constantFrom("n1", "n2", "n3")),
    ifMatch: nowAndThen(IF_MATCH),
  }),
);
