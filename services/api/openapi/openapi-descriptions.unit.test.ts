import { describe, expect, test } from "@jest/globals";
import { FIELD_DESCRIPTIONS } from "./field-descriptions.ts";
import { openapiText } from "./openapi-document.ts";
import { ROUTES } from "../route-table.ts";
import { SCHEMA_DESCRIPTIONS } from "./schema-descriptions.ts";

interface Described {
  readonly description?: string;
}

type Schemas = Readonly<Record<string, Described & { readonly properties: Readonly<Record<string, Described>> }>>;

/** A field with an object has a reference to the schema, and a description beside the reference. */
const document = JSON.parse(openapiText(ROUTES)) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described & { readonly operationId: string }>>>>;
  readonly components: { readonly schemas: Schemas };
};

describe("the descriptions of the API document", () => {
  test("exist for every field of every schema, with the unit of times", () => {
    const fields = Object.entries(document.components.schemas).flatMap(([schema, { properties }]) =>
      Object.entries(properties).map(([field, { description }]) => [`${schema}.${field}`, description] as const),
    );
    expect(fields.length).toBeGreaterThan(150);
    expect(fields.filter(([, description]) => description === undefined)).toEqual([]);
    // This one is a number of VEVENTs.
    const times = fields.filter(
      ([field]) =>
        field !== "CalendarFollow.created" &&
        /\.(?:epoch_\w+|due|due_from|settled|in_doubt_since|lease_until|next_try|created|expires|revoked|last_used|previous_until|at|followed|next_read|last_read|last_success|last_change)$/.test(
          field,
        ),
    );
    expect(times.filter(([, description]) => !description!.includes("Unix milliseconds"))).toEqual([]);
  });

  test("exist for every schema and operation, and say more than the name", () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const named = [
      ...Object.entries(document.components.schemas).map(([name, { description }]) => [name, description]),
      ...operations.map(({ operationId, description }) => [operationId, description]),
    ];
    expect(named.length).toBeGreaterThan(100);
    const letters = (sentence: string) => sentence.replaceAll(/[^A-Za-z]/g, "").toLowerCase();
    const saysMore = (name = "", description = "") =>
      /^[A-Z][^]{15,}\.$/.test(description) && letters(description) !== letters(name);
    expect(named.filter(([name, description]) => !saysMore(name, description))).toEqual([]);
  });

  test("exist for no unknown schema", () => {
    const names = Object.keys(document.components.schemas);
    expect(Object.keys(SCHEMA_DESCRIPTIONS).filter((name) => !names.includes(name))).toEqual([]);
  });

  test("warn that JavaScript rounds the guild id of v2 settings, and advise clients (D7)", () => {
    const [exact, rounded] = ["375357265198317603", String(JSON.parse("375357265198317603"))];
    expect(rounded).not.toBe(exact);
    const { description } = document.components.schemas["GuildSettings"]!.properties["guild_id"]!;
    expect(description).toContain(`JSON.parse of JavaScript rounds it (${exact} becomes ${rounded})`);
    expect(description).toContain("or the id in the request");
  });

  test("exist for no unknown field", () => {
    const used = new Set(
      Object.entries(document.components.schemas).flatMap(([schema, { properties }]) =>
        Object.keys(properties).map((field) => {
          const own = `${schema.replace(/[0-9]+$/, "")}.${field}`;
          return own in FIELD_DESCRIPTIONS ? own : field;
        }),
      ),
    );
    expect(Object.keys(FIELD_DESCRIPTIONS).filter((name) => !used.has(name))).toEqual([]);
  });

  test("state for each setting that is stored for bots, and for no other, that the service does not use it (D9)", () => {
    const stored = /Stored for bots; the service (?:does not|has no)/;
    for (const version of ["V1", "V2"]) {
      const { properties } = document.components.schemas[`${version}GuildSettingsUpdateRequest`]!;
      const said = Object.keys(properties).filter((wire) => stored.test(properties[wire]?.description ?? ""));
      const only = ["control_role", "dev_guild", "external_calendar", "patron_guild", "prefix"];
      expect(said.toSorted()).toEqual(version === "V1" ? [...only, "service_channel"] : only);
    }
  });
});
