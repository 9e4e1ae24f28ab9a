import { describe, expect, test } from "@jest/globals";
import type { GuildId } from "../../../contracts/ids.ts";
import { newBackoff } from "./backoff.ts";

const BAD = "1" as GuildId;
const GOOD = "2" as GuildId;

function backoff(fraction = 1) {
  return newBackoff({ random: { fraction: () => fraction, id: () => "" } });
}

describe("a guild whose plan fails", () => {
  test("waits twice as long each time while plans of others succeed, up to 64 s", () => {
    const { failed, succeeded } = backoff();
    const waits = Array.from({ length: 10 }, () => {
      succeeded(GOOD);
      return failed(BAD) / 1000;
    });
    expect(waits).toEqual([0.5, 1, 2, 4, 8, 16, 32, 64, 64, 64]);
    succeeded(BAD);
    expect(failed(BAD)).toBe(500);
  });

  test("waits with jitter over half of that time", () => {
    expect(backoff(0).failed(BAD)).toBe(250);
  });

  test("does not wait longer during an outage, when no plan succeeds", () => {
    const { failed } = backoff();
    expect([failed(BAD), failed(GOOD), failed(BAD), failed(GOOD), failed(BAD)]).toEqual([500, 500, 500, 500, 500]);
  });

  test("fails alone after three failures while plans of others succeed", () => {
    const { failed, succeeded, failsAlone } = backoff();
    for (let time = 0; time < 3; time += 1) {
      expect(failsAlone(BAD)).toBe(false);
      failed(BAD);
      succeeded(GOOD);
    }
    expect([failsAlone(BAD), failsAlone(GOOD)]).toEqual([true, false]);
  });
});
