import { describe, expect, test } from "@jest/globals";
import { serviceEnvironment, takeEnvironment } from "./service-environment.ts";
import { ALL_SETTINGS, SETTINGS_OF } from "./service-factories.ts";
import { SERVICES } from "../../contracts/service-names.ts";

const inOrder = (one: string, other: string) => one.localeCompare(other);

describe("the environment of a service's process", () => {
  test("has the settings of the service, by value and by file, and the basic variables", () => {
    const env = {
      PATH: "/bin",
      API_KEY: "a key",
      API_KEY_PEPPER_FILE: "/pepper",
      DISCORD_TOKEN_FILE: "/token",
      WEBHOOK_SECRET: "a secret",
      WEBHOOKS_KEY_FILE: "/key",
      EVENTS_PER_GUILD: "7",
      LOG_LEVEL: "warn",
      SOMEBODY_ELSES_SECRET: "another",
    };
    const shared = { PATH: "/bin", LOG_LEVEL: "warn" };
    expect(Object.fromEntries(SERVICES.map((service) => [service, serviceEnvironment(service, env)]))).toEqual({
      api: { ...shared, API_KEY: "a key", API_KEY_PEPPER_FILE: "/pepper" },
      dispatch: { ...shared, DISCORD_TOKEN_FILE: "/token", WEBHOOK_SECRET: "a secret" },
      announcements: shared,
      "calendar-events": { ...shared, EVENTS_PER_GUILD: "7" },
      "guild-settings": shared,
      webhooks: { ...shared, WEBHOOKS_KEY_FILE: "/key" },
    });
  });

  test("every setting belongs to a service", () => {
    const names = new Set(Object.values(SETTINGS_OF).flat());
    expect([...names].toSorted(inOrder)).toEqual(Object.keys(ALL_SETTINGS).toSorted(inOrder));
  });

  test("a process removes the settings from its environment, so that no program that it starts inherits them", () => {
    const env = { PATH: "/bin", API_KEY: "a key", DISCORD_TOKEN_FILE: "/token" };
    const given = { ...env };
    expect(takeEnvironment(env)).toEqual(given);
    expect(env).toEqual({ PATH: "/bin" });
  });
});
