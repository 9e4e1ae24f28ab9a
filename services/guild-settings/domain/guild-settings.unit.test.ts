import { describe, expect, test } from "@jest/globals";
import type { GuildId } from "../../contracts/ids.ts";
import { changeSettings, defaultSettings } from "./guild-settings.ts";

const guild = "375357265198317579" as GuildId;
const stored = { ...defaultSettings(guild), maxCalendars: 3, revision: 7 };

describe("guild settings (D9–D11)", () => {
  test("an update keeps every other field and increments the revision", () => {
    expect(changeSettings(stored, { prefix: "?" }, false)).toEqual({ ...stored, prefix: "?", revision: 8 });
  });

  test("a pause is set, kept by another update, and removed by null (D62)", () => {
    const paused = changeSettings(stored, { pausedUntil: 5 }, false) as typeof stored;
    expect(paused).toMatchObject({ pausedUntil: 5, revision: 8 });
    expect(changeSettings(paused, { prefix: "?" }, false)).toMatchObject({ pausedUntil: 5 });
    expect(changeSettings(paused, { pausedUntil: null }, false)).not.toHaveProperty("pausedUntil");
  });

  test("an operator field with its stored value is accepted with any key", () => {
    expect(changeSettings(stored, { maxCalendars: 3, lang: "SPANISH" }, false)).toMatchObject({ lang: "SPANISH" });
  });

  test("changed operator fields are refused without an operator key, naming each of them", () => {
    expect(changeSettings(stored, { maxCalendars: 4, branded: true }, false)).toMatchObject({
      refusal: "OPERATOR_ONLY",
      problems: [{ field: "maxCalendars" }, { field: "branded" }],
    });
  });

  test("an operator key changes an operator field", () => {
    expect(changeSettings(stored, { maxCalendars: 4 }, true)).toMatchObject({ maxCalendars: 4 });
  });
});
