import { describe, expect, test } from "@jest/globals";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { GuildcalProcess } from "../harness/guildcal-process.ts";

describe("npm run demo", () => {
  test("starts a service, prints each request and response, moves the event, and ends after the post", async () => {
    const demo = new GuildcalProcess("demo", { PORT: String(await freePort(0)) });
    await expect(demo.exitCode()).resolves.toBe(0);
    expect(demo.output).toMatch(/POST \/v2\/events\/create[\s\S]*POST \/v1\/announcement\/create/);
    const dues = [...demo.output.matchAll(/"due":(\d+)/g)].map(([, due]) => Number(due));
    expect((dues[1] as number) - (dues[0] as number)).toBe(4_000);
    expect(demo.output).toMatch(/Posted \d+ ms after it was due, as message \S+\./);
    expect(demo.output).toMatch(/The console: http:\/\/127\.0\.0\.1:\d+\/console/);
  });
});
