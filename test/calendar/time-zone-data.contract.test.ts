import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "@jest/globals";
import { bundledZones } from "../../mixins/time-zones/bundled-zones.ts";
import { luxonZone } from "../../mixins/time-zones/luxon-zone.ts";
import { timeZones, setTimeZones } from "../../mixins/time-zones/time-zones.ts";
import { localToInstant } from "../../services/calendar-events/domain/calendar/local-to-instant.ts";
import { chooseTimeZones } from "../../services/launch/run/choose-time-zones.ts";
import { zone } from "./any-series.ts";
import type { TimeZoneSet } from "../../mixins/time-zones/time-zone-set.ts";
import { InvalidZoneFolder, readZoneFolder } from "../../mixins/time-zones/zone-folder.ts";
import { type ClockSpan, clockBetween } from "../../mixins/time-zones/zone-rules.ts";

/** The folder of the machine's zones, from Debian's package tzdata. */
const SYSTEM = process.env["TZDIR"] ?? "/usr/share/zoneinfo";
const bundled = bundledZones();
const names = bundled.names.filter((name) => name !== "Factory");
const year = (number: number) => Date.UTC(number, 0, 1);

function clockOf(set: TimeZoneSet, name: string, from: number, until: number): ClockSpan {
  const rules = set.rulesOf(name);
  if (rules === undefined) throw new Error(`no zone ${name}`);
  return clockBetween(rules, from, until);
}

/** The zones that differ between two sets in some years. */
function differing(one: TimeZoneSet, other: TimeZoneSet, from: number, until: number): string[] {
  const clock = (set: TimeZoneSet, name: string) => JSON.stringify(clockOf(set, name, from, until));
  return names.filter((name) => clock(one, name) !== clock(other, name));
}

describe("the bundled set of time zones", () => {
  test("has the release date of its package", () => {
    const require = createRequire(import.meta.url);
    const changelog = readFileSync(require.resolve("moment-timezone/changelog.md"), "utf8");
    const release = changelog.split(/^(?=### )/m).find((text) => text.includes(`\`${bundled.version}\``)) ?? "";
    const day = new Date(bundled.publishedAt).toISOString().slice(0, 10);
    expect(/_(\d{4}-\d\d-\d\d)_/.exec(release)?.[1]).toBe(day);
  });

  test("has two opposite changes per year after 2037, or none", () => {
    for (const name of names) {
      const [one, other, ...more] = bundled.rulesOf(name)?.yearly ?? [];
      expect(more).toEqual([]);
      expect([one?.before, one?.offset]).toEqual([other?.offset, other?.before]);
    }
  });

  test("knows every zone that Intl knows", () => {
    const all = new Set(bundled.names);
    expect(Intl.supportedValuesOf("timeZone").filter((name) => !all.has(name))).toEqual([]);
  });
});

// Some machines have no zone files; the tests above, and every-zone.contract.test.ts, run there, too.
if (existsSync(join(SYSTEM, "tzdata.zi"))) {
  describe("the machine's time zones", () => {
    const system = readZoneFolder(SYSTEM, bundled);

    // zdump checks every half day and would take minutes for all zones, which the next test compares.
    const sample = names.filter((_, place) => place % 12 === 0);

    test("are those of the C library's zdump from 1970 to 2100", async () => {
      const options = { maxBuffer: 2 ** 28, env: { TZDIR: SYSTEM } };
      const { stdout } = await promisify(execFile)("zdump", ["-v", "-c", "1970,2100", ...sample], options);
      const lines = Map.groupBy(stdout.split("\n"), (line) => line.split(" ", 1)[0]);
      const wrong: string[] = [];
      let seen = 0;
      for (const name of sample) {
        // Each change has two lines: the second before it, and its own.
        const read = (lines.get(name) ?? []).flatMap((line) => {
          const [, date, seconds] = / {1,2}\w{3} (\w{3} .*) UTC? = .* gmtoff=(-?\d+)$/.exec(line) ?? [];
          return date === undefined ? [] : [{ at: Date.parse(`${date} UTC`), offset: Number(seconds) * 1000 }];
        });
        const rejectIfLate = read.filter(({ at }) => at > year(1970) && at < year(2100));
        const theirs = rejectIfLate.flatMap(({ at, offset: before }, place) => {
          const after = rejectIfLate[place + 1];
          return after?.at === at + 1000 && after.offset !== before
            ? [{ at: after.at, before, after: after.offset }]
            : [];
        });
        const ours = clockOf(system, name, year(1970), year(2100) - 1).changes;
        seen += theirs.length;
        if (JSON.stringify(ours) !== JSON.stringify(theirs)) wrong.push(name);
      }
      expect(wrong).toEqual([]);
      expect(seen).toBeGreaterThan(2_000);
    });

    test("are the bundled ones from 1970 to 2037 and to the year 9999, except for changes in other releases", () => {
      const different = [
        ...differing(bundled, system, year(1970), year(2038)),
        ...differing(bundled, system, year(2038), year(2500)),
        ...differing(bundled, system, year(9900), year(10_000)),
      ].filter((name) => !OF_DEBIAN.has(name));
      expect(new Set(different).size).toBeLessThanOrEqual(bundled.version === system.version ? 0 : MOST_OF_OTHERS);
    });
  });
}

/** Debian has the rules of these zones from before 2024b, which differ before 1981. */
const OF_DEBIAN = new Set(["EET", "WET", "CET", "MET", "EST5EDT", "CST6CDT", "MST7MDT", "PST8PDT"]);
/** Maximum number of differences; there are 24 between 2025b and 2026f. */
const MOST_OF_OTHERS = 40;

describe("a folder of time zones", () => {
  const made = mkdtempSync(join(tmpdir(), "guildcal-zones-"));
  afterAll(() => rmSync(made, { recursive: true }));

  /** Creates a folder of zones with the fixed offset of one hour; `files` may have others. */
  function folder(name: string, files: Readonly<Record<string, string | Buffer>>): string {
    const path = join(made, name);
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      writeFileSync(join(path, file), content);
    }
    return path;
  }
  const block = (version: number) => {
    const bytes = Buffer.alloc(44 + 6 + 4);
    bytes.write(`TZif${version}`, "latin1");
    bytes.writeUInt32BE(1, 36);
    bytes.writeUInt32BE(4, 40);
    bytes.writeInt32BE(3600, 44);
    return bytes;
  };
  const hour = Buffer.concat([block(2), block(2), Buffer.from("\n<+01>-1\n")]);
  const whole = { "Europe/London": hour, "Asia/Kolkata": hour, "tzdata.zi": "# version 2031c\nrest" };
  const offset = (set: TimeZoneSet, name: string) => set.rulesOf(name)?.first;

  test("is read with its release; old names get the rules of their zone, and missing zones are those of the bundled set", () => {
    const path = folder("whole", { ...whole, "right/Europe/London": "leap", posixrules: "x", leapseconds: "x" });
    const set = readZoneFolder(path, bundled);
    expect(set).toMatchObject({ version: "2031c", source: "folder" });
    expect([offset(set, "Europe/London"), offset(set, "GB"), offset(set, "Asia/Calcutta")]).toEqual(
      Array.from({ length: 3 }, () => 3_600_000),
    );
    expect(set.rulesOf("Asia/Tokyo")).toBe(bundled.rulesOf("Asia/Tokyo"));
  });

  test("that is set as TZDATA_DIR is used by the process", () => {
    const before = timeZones();
    chooseTimeZones({ TZDATA_DIR: folder("set", whole) });
    const winter = Date.UTC(2026, 0, 1);
    expect(timeZones().version).toBe("2031c");
    expect(localToInstant(winter, zone("Europe/London"))).toBe(winter - 3_600_000);
    expect(luxonZone("Europe/London")?.offset(winter)).toBe(60);
    setTimeZones(before);
    expect(localToInstant(winter, zone("Europe/London"))).toBe(winter);
  });

  test("may have zones that the release lacks", () => {
    const set = readZoneFolder(folder("new", { ...whole, "Mars/Olympus_Mons": hour }), bundled);
    expect(offset(set, "Mars/Olympus_Mons")).toBe(3_600_000);
  });

  test.each([
    ["without a release", { "Europe/London": hour }, "neither tzdata.zi nor +VERSION"],
    ["without zones", { "tzdata.zi": "# version 2031c" }, "no file Europe/London"],
    ["with a file that is no zone", { ...whole, "Asia/Tokyo": "no zone" }, "Asia/Tokyo is not a TZif file"],
    [
      "with a file that is too large",
      { ...whole, "Asia/Tokyo": Buffer.alloc(70_000) },
      "Asia/Tokyo is not a TZif file",
    ],
  ])("%s is refused with the reason", (name, files, reason) => {
    const path = folder(name, files);
    expect(() => readZoneFolder(path, bundled)).toThrow(InvalidZoneFolder);
    expect(() => readZoneFolder(path, bundled)).toThrow(reason);
  });
});
