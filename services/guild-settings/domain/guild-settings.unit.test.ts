import { describe, expect, test } from "@jest/globals";
import type { GuildId } from "../../contracts/ids.ts";
import { changeSettings, defaultSettings } from "./guild-settings.ts";

const guild = "375357265198317579" as GuildId;
const stored = { ...defaultSettings(guild), maxCalendars: 3, revision: 7 };

describe("guild settings (D9–D11)", () => {
  test("a change keeps every other field and counts the write", () => {
    expect(changeSettings(stored, { prefix: "?" }, false)).toEqual({ ...stored, prefix: "?", revision: 8 });
  });

  test("an operator's field posted back as it was read passes with any key", () => {
    expect(changeSettings(stored, { maxCalendars: 3, lang: "SPANISH" }, false)).toMatchObject({ lang: "SPANISH" });
  });

  test("an operator's field that would change is refused from another key, naming each", () => {
    expect(changeSettings(stored, { maxCalendars: 4, branded: true }, false)).toMatchObject({
      refusal: "OPERATOR_ONLY",
      problems: [{ field: "maxCalendars" }, { field: "branded" }],
    });
  });

  test("an operator changes it", () => {
    expect(changeSettings(stored, { maxCalendars: 4 }, true)).toMatchObject({ maxCalendars: 4 });
  });
});
