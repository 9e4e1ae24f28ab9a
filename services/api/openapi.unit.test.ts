import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { Validator } from "@seriousme/openapi-schema-validator";
import { ERRORS } from "../contracts/errors.ts";
import { openapiText } from "./openapi.ts";
import { ROUTES } from "./route-table.ts";

const text = openapiText(ROUTES);

interface Operation {
  readonly requestBody: { readonly content: { readonly "application/json": { readonly schema: RequestSchema } } };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface RequestSchema {
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required: readonly string[];
}

const document = JSON.parse(text) as {
  readonly paths: Readonly<Record<string, { readonly post: Operation }>>;
};

function requestOf(path: string): RequestSchema {
  return document.paths[path]!.post.requestBody.content["application/json"].schema;
}

describe("the API document", () => {
  test("is committed as it is made now; `npm run openapi` renews it", async () => {
    expect(await readFile(join(import.meta.dirname, "openapi.json"), "utf8")).toBe(text);
  });

  test("is valid OpenAPI 3.1", async () => {
    await expect(new Validator().validate(text)).resolves.toMatchObject({ valid: true });
  });

  test("a broken document is found to be invalid", async () => {
    const broken = { ...(JSON.parse(text) as object), paths: { "/x": { post: { responses: 5 } } } };
    await expect(new Validator().validate(JSON.stringify(broken))).resolves.toMatchObject({ valid: false });
  });

  test("has every endpoint, every error code, and every digit of a guild id (D7)", () => {
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(ROUTES.map(({ paths }) => paths[0])));
    expect(text).not.toContain("undefined");
    for (const code of Object.keys(ERRORS)) expect(text).toContain(`"${code}"`);
    expect(text).toContain('"guild_id": 375357265198317579,');
  });

  test("a 400 always names what is wrong, and no other error needs to (D4)", () => {
    const { responses } = (JSON.parse(text) as { components: { responses: object } }).components;
    const required = Object.entries(responses as Record<string, never>).map(([name, response]) => {
      const { content } = response as { content: { "application/json": { schema: RequestSchema } } };
      return [name, content["application/json"].schema.required.includes("errors")];
    });
    expect(required.filter(([, errors]) => errors)).toEqual([["Error400", true]]);
  });

  test("says of each field whether it is required, and what it may be", () => {
    const { properties, required } = requestOf("/v2/events/update");
    expect(required).toEqual(["guild_id", "calendar_number", "event_id"]);
    expect(properties).toMatchObject({
      epoch_start: { type: "integer", format: "int64", minimum: 0, maximum: 253_402_300_799_999 },
      name: { type: ["string", "null"], maxLength: 256 },
      recur: { type: "boolean" },
      recurrence: {
        properties: {
          frequency: { enum: ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] },
          count: { minimum: -1, maximum: 10_000, not: { const: 0 } },
        },
        required: ["frequency"],
      },
    });
    expect(requestOf("/v1/announcement/upcoming")).toMatchObject({
      properties: { amount: { default: 10 } },
      required: ["guild_id"],
    });
  });
});
