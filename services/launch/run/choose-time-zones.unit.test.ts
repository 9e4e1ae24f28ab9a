import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { timeZones } from "../../../mixins/time-zones/time-zones.ts";
import { chooseTimeZones } from "./choose-time-zones.ts";
import { StartupError } from "./startup-error.ts";

test("without TZDATA_DIR the bundled time zones are used", () => {
  chooseTimeZones({ TZDATA_DIR: undefined });
  expect(timeZones().source).toBe("bundled");
});

test("a TZDATA_DIR that is not a time zone folder ends the start with the reason", () => {
  const empty = mkdtempSync(join(tmpdir(), "guildcal-no-zones-"));
  for (const folder of [empty, join(empty, "missing")]) {
    expect(() => chooseTimeZones({ TZDATA_DIR: folder })).toThrow(StartupError);
    expect(() => chooseTimeZones({ TZDATA_DIR: folder })).toThrow(/^TZDATA_DIR: .*neither tzdata.zi nor \+VERSION/);
  }
  rmSync(empty, { recursive: true });
});
