import { describe, expect, test } from "@jest/globals";
import { zone } from "../../../../test/calendar/any-series.ts";
import { instantToLocal, localToInstant } from "./local-to-instant.ts";
import { ianaZone } from "./zone.ts";

const newYork = zone("America/New_York");
const HOUR = 3_600_000;

describe("wall time (D16)", () => {
  test("that does not exist moves forward by the gap", () => {
    const gap = Date.UTC(2024, 2, 10, 7);
    const read = [1.5, 2, 2.5, 3].map((hours) => localToInstant(Date.UTC(2024, 2, 10) + hours * HOUR, newYork) - gap);
    expect(read).toEqual([-0.5 * HOUR, 0, 0.5 * HOUR, 0]);
  });

  test("that occurs twice means the earlier instant", () => {
    const change = Date.UTC(2024, 10, 3, 6);
    const read = [0.5, 1, 1.5, 2].map(
      (hours) => localToInstant(Date.UTC(2024, 10, 3) + hours * HOUR, newYork) - change,
    );
    expect(read).toEqual([-1.5 * HOUR, -HOUR, -0.5 * HOUR, HOUR]);
  });

  test("is read to the second if the offset of the zone has seconds", () => {
    expect(instantToLocal(0, zone("Africa/Monrovia"))).toBe(-(44 * 60 + 30) * 1000);
  });
});

describe("names of zones", () => {
  test("are accepted in any case and as aliases, and an offset or an unknown name is refused", () => {
    expect(ianaZone("america/new_york")?.name).toBe("America/New_York");
    expect(ianaZone("Etc/UTC")).toBe(ianaZone("utc"));
    for (const name of ["", "+02:00", "Mars/Olympus", "$ne", "__proto__"]) expect(ianaZone(name)).toBeUndefined();
  });
});
