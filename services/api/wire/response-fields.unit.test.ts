import { describe, expect, test } from "@jest/globals";
import { NO_FIELD } from "./no-field.ts";
import { encodeFields, INTEGER, int64, objectOf, optional, responseFields, shown, STRING } from "./response-fields.ts";

interface Result {
  readonly guildId: string;
  readonly revision: number;
  readonly name?: string;
}

const guildId = int64("guild_id");
const fields = responseFields<Result>({ guildId, name: optional(shown("name", STRING)), revision: NO_FIELD });

describe("the fields of a response", () => {
  test("have the values of the result in their order, without those that it lacks", () => {
    expect(JSON.stringify(encodeFields(fields, { guildId: "9", revision: 3, name: "x" }))).toBe(
      '{"guild_id":9,"name":"x"}',
    );
    expect(Object.keys(encodeFields(fields, { guildId: "9", revision: 3 }))).toEqual(["guild_id"]);
  });

  test("are required in the schema unless the result may lack them", () => {
    expect(objectOf(fields)).toMatchObject({ required: ["guild_id"] });
  });

  test("do not compile when the table lacks one, or does not say that the result may lack it", () => {
    // @ts-expect-error The field `revision` is missing.
    const lacking = responseFields<Result>({ guildId, name: optional(shown("name", STRING)) });
    // @ts-expect-error The field `name` is optional.
    const required = responseFields<Result>({ guildId, name: shown("name", STRING), revision: shown("rev", INTEGER) });
    expect([lacking, required].map((table) => table.map(({ wire }) => wire))).toEqual([
      ["guild_id", "name"],
      ["guild_id", "name", "rev"],
    ]);
  });
});
