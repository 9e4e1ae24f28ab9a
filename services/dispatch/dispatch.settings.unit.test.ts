import { describe, expect, test } from "@jest/globals";
import { readEnvironment } from "../../mixins/settings/environment.ts";
import { discordSettings } from "./sinks/discord/discord.settings.ts";
import { dispatchSettings } from "./dispatch.settings.ts";
import { SINK_NAMES } from "./domain/post/sink-name.ts";

/** Requests per second that Discord allows one bot on all routes. */
const DISCORD_GLOBAL_LIMIT = 50;

describe("the settings of dispatch", () => {
  test("by default posts go to the log, up to 15 minutes late", () => {
    expect(readEnvironment({}, dispatchSettings)).toEqual({ SINKS: ["log"], GRACE_MINUTES: 15 });
  });

  test("several sinks can be enabled, each once", () => {
    expect(readEnvironment({ SINKS: "Discord, webhook,discord" }, dispatchSettings)).toMatchObject({
      SINKS: ["discord", "webhook"],
    });
  });

  test("an unknown sink is refused, and the error lists the sinks", () => {
    expect(() => readEnvironment({ SINKS: "log,irc" }, dispatchSettings)).toThrow(
      `SINKS must be one or more of ${SINK_NAMES.join(", ")}, separated by commas`,
    );
  });

  test("by default Discord gets 45 requests a second, fewer than its global limit", () => {
    const { DISCORD_REQUESTS_PER_SECOND } = readEnvironment({}, discordSettings);
    expect(DISCORD_REQUESTS_PER_SECOND).toBe(45);
    expect(DISCORD_REQUESTS_PER_SECOND).toBeLessThan(DISCORD_GLOBAL_LIMIT);
  });
});
