import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { Validator } from "@seriousme/openapi-schema-validator";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { ERRORS, HTTP_ERRORS } from "../../contracts/errors.ts";
import { openapiText } from "./openapi-document.ts";
import { routeFor } from "../route.ts";
import { ROUTES } from "../route-table.ts";

const text = openapiText(ROUTES);

interface Operation {
  readonly requestBody: { readonly content: { readonly "application/json": { readonly schema: RequestSchema } } };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface RequestSchema {
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required: readonly string[];
}

/** The schema with every reference replaced by the referenced schema. */
const document = JSON.parse(text, (_key, value: { readonly $ref?: string }) => {
  const name = /^#\/components\/schemas\/(.*)$/.exec(value?.$ref ?? "")?.[1];
  return name === undefined ? value : { ...schemaOf(name), ...value };
}) as {
  readonly paths: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: object;
};

function schemaOf(name: string): object {
  const { components } = JSON.parse(text) as { components: { schemas: Record<string, object> } };
  return JSON.parse(JSON.stringify(components.schemas[name]), (_key, value: { readonly $ref?: string }) =>
    value?.$ref === undefined ? value : { ...schemaOf(value.$ref.split("/").at(-1)!), ...value },
  ) as object;
}

function requestOf(path: string): RequestSchema {
  return document.paths[path]!.post.requestBody.content["application/json"].schema;
}

/** The findings of Redocly's strict rules, one line each. */
async function lint(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const problems = await lintFromString({ source, config });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

describe("the API document", () => {
  test("equals the committed file, which `npm run openapi` writes", async () => {
    expect(await readFile(join(import.meta.dirname, "openapi.json"), "utf8")).toBe(text);
  });

  test("is valid OpenAPI 3.1", async () => {
    await expect(new Validator().validate(text)).resolves.toMatchObject({ valid: true });
  });

  test("is found invalid after a defect was added", async () => {
    const broken = { ...(JSON.parse(text) as object), paths: { "/x": { post: { responses: 5 } } } };
    await expect(new Validator().validate(JSON.stringify(broken))).resolves.toMatchObject({ valid: false });
  });

  test("has every endpoint, every error code, and every digit of a guild id (D7)", () => {
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(ROUTES.map(({ paths }) => paths[0])));
    expect(text).not.toContain("undefined");
    for (const code of Object.keys({ ...ERRORS, ...HTTP_ERRORS })) expect(text).toContain(`"${code}"`);
    expect(text).toContain('"guild_id": 375357265198317579,');
  });

  test("has the invalid fields in every 400 and in no other error (D4)", () => {
    const { responses } = document.components as unknown as { readonly responses: object };
    const required = Object.entries(responses as Record<string, never>).map(([name, response]) => {
      const { content } = response as { content: { "application/json": { schema: RequestSchema } } };
      return [name, content["application/json"].schema.required.includes("errors")];
    });
    expect(required.filter(([, errors]) => errors)).toEqual([["Error400", true]]);
  });

  test("has the required fields and the limits of every field", () => {
    const { properties, required } = requestOf("/v2/events/update");
    expect(required).toEqual(["guild_id", "calendar_number", "event_id"]);
    expect(properties).toMatchObject({
      epoch_start: { type: "integer", format: "int64", minimum: 0, maximum: 253_402_300_799_999 },
      name: { type: ["string", "null"], maxLength: 256 },
      recur: { type: "boolean" },
      recurrence: {
        properties: {
          frequency: { enum: ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] },
          count: { minimum: -1, maximum: 10_000, not: { const: 0 }, default: -1 },
          interval: { type: "integer", default: 1 },
        },
        required: [],
      },
    });
    expect(JSON.stringify(properties)).not.toMatch(/"default":"NONE"/);
    expect(requestOf("/v1/announcement/upcoming")).toMatchObject({
      properties: { amount: { default: 10 } },
      required: ["guild_id"],
    });
  });

  test("has the defaults of a create, and the fields for which null means absent (D6, D15, D26)", () => {
    expect(requestOf("/v1/announcement/create").properties).toMatchObject({
      channel: { type: "string" },
      enabled: { type: ["boolean", "null"], default: true },
      info_only: { type: ["boolean", "null"], default: false },
      event_color: { type: ["string", "null"], enum: expect.arrayContaining(["RED", "NONE", null]) },
      subscribers_role: { type: ["array", "null"], default: [] },
      subscribers_user: { type: ["array", "null"], default: [] },
    });
    expect(requestOf("/v2/events/create").properties).toMatchObject({
      epoch_start: { type: ["integer", "null"] },
      color: { type: ["string", "null"], default: "NONE" },
      recur: { type: ["boolean", "null"], default: false },
      recurrence: {
        oneOf: [
          {
            properties: { frequency: { type: ["string", "null"] }, count: { type: ["integer", "null"], default: -1 } },
          },
          { type: "null" },
        ],
      },
    });
    expect(requestOf("/admin/keys/rotate").properties).toMatchObject({ overlap_hours: { default: 24 } });
  });

  test("has the length and the pattern of every text", () => {
    const { control_role, prefix } = requestOf("/v1/guild/settings/update").properties;
    expect(control_role).toMatchObject({ maxLength: 20, pattern: "^[0-9]{1,20}$|^(?:everyone)$" });
    expect(prefix).toMatchObject({ maxLength: 16, pattern: String.raw`^[^\s\x00-\x1f\x7f-\x9f]+$` });
    const { channel, subscribers_user } = requestOf("/v1/announcement/update").properties;
    expect(channel).toMatchObject({ maxLength: 20, pattern: "^[0-9]{1,20}$" });
    expect(subscribers_user).toMatchObject({ items: { maxLength: 20, pattern: "^[0-9]{1,20}$" } });
    const image = requestOf("/v2/events/create").properties["image"] as { pattern: string };
    expect(image).toMatchObject({ maxLength: 2048 });
    expect(["https://a.b/c", "https:a.b", "ftp://a.b"].filter((url) => new RegExp(image.pattern).test(url))).toEqual([
      "https://a.b/c",
    ]);
  });

  test("has patterns with the same meaning with and without the flag u, and in other dialects", () => {
    const patterns = [...text.matchAll(/"pattern": ("(?:[^"\\]|\\.)*")/g)].map(
      ([, pattern]) => JSON.parse(pattern!) as string,
    );
    expect(patterns.length).toBeGreaterThan(20);
    for (const pattern of patterns) {
      expect(pattern).not.toMatch(/\\[pPdDwWbBu]|\.\{/);
      expect(() => new RegExp(pattern)).not.toThrow();
    }
  });

  test("declares both forms of the Authorization header", () => {
    expect(JSON.parse(text)).toMatchObject({
      security: [{ bearer: [] }, { key: [] }],
      components: {
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer" },
          key: { type: "apiKey", in: "header", name: "Authorization" },
        },
      },
    });
  });

  test.each(ROUTES)(
    "$paths.0: has If-Match and 412 if it compares revisions, and the ETag if it returns one",
    (route) => {
      const [path] = route.paths;
      const { responses, parameters = [] } = document.paths[path]!.post as Operation & {
        parameters?: { name: string }[];
      };
      const named = parameters.map(({ name }) => name);
      expect([named.includes("If-Match"), "412" in responses]).toEqual([route.acceptsIfMatch, route.acceptsIfMatch]);
      expect("ETag" in (responses["200"] as { headers: object }).headers).toBe(route.hasEtag);
    },
  );

  test("has the headers of every response, with the request id", () => {
    const { paths, components } = JSON.parse(text) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
      readonly components: { readonly responses: Readonly<Record<string, object>> };
    };
    const own = Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ responses }) => Object.values(responses) as object[]),
    );
    const responses = [...own.filter((response) => !("$ref" in response)), ...Object.values(components.responses)];
    expect(
      responses.filter((response) => !("headers" in response && "X-Request-Id" in (response.headers as object))),
    ).toEqual([]);
  });

  test("has warnings in the response of every operation, and no additional members in a recurrence (D37)", () => {
    for (const { paths } of ROUTES) {
      const response = JSON.stringify(document.paths[paths[0]]!.post.responses["200"]);
      expect(response).toContain('"warnings":{"type":"array","maxItems":10');
    }
    expect(requestOf("/v2/events/create").properties["recurrence"]).toMatchObject({
      oneOf: [{ additionalProperties: false }, { type: "null" }],
    });
  });

  test("passes a linter", async () => {
    await expect(lint(text)).resolves.toEqual([]);
    const unnamed = text.replace('"operationId": "health-live",', "");
    await expect(lint(unnamed)).resolves.toEqual([expect.stringContaining("operation-operationId")]);
  });

  test("has both types of a guild id and its limits, with every digit (D7)", () => {
    const spellings = {
      oneOf: [
        { type: "integer", minimum: 1 },
        { type: "string", maxLength: 19 },
      ],
    };
    expect(requestOf("/v2/events/get").properties["guild_id"]).toMatchObject(spellings);
    expect(requestOf("/admin/keys/create").properties["guilds"]).toMatchObject({ items: spellings });
    expect(text).toContain('"maximum": 9223372036854775807\n');
  });

  test.each(ROUTES)("$paths.0 accepts the documented defaults, and null only where it is documented", (ofPath) => {
    const fields = Object.entries(requestOf(ofPath.paths[0]).properties);
    // Only this field: cross-field checks do not apply.
    const takes = (wire: string, value: unknown) => {
      const body = { [wire]: value };
      const route = routeFor(ofPath, body);
      return !route.check(route.decode(body)).some(({ field }) => field === wire);
    };
    // A field that is required unless another one is given is null only together with that one.
    const required = new Set(ofPath.check(ofPath.decode({})).map(({ field }) => field));
    const withNull = fields.filter(([, { type, oneOf = [] }]) =>
      [type, ...(oneOf as { readonly type?: string }[]).map((each) => each.type)].flat().includes("null"),
    );
    expect(fields.filter(([wire]) => takes(wire, null))).toEqual(withNull.filter(([wire]) => !required.has(wire)));
    const withDefault = fields.filter(([, schema]) => "default" in schema);
    expect(withDefault.filter(([wire, schema]) => !takes(wire, schema["default"]))).toEqual([]);
  });
});
