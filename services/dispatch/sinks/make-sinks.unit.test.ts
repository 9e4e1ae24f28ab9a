import { describe, expect, test } from "@jest/globals";
import { readEnvironment, SettingsError } from "../../../mixins/settings/environment.ts";
import { makeSinks, sinkProblems, sinkSettings } from "./make-sinks.ts";

const writeLine = () => undefined;
const SECRET = `whsec_${Buffer.alloc(32).toString("base64")}`;
const settings = (env: Record<string, string> = {}) => readEnvironment(env, sinkSettings);

describe("the chosen sinks", () => {
  test("are made from their settings, in the chosen order", () => {
    const all = settings({ DISCORD_TOKEN: "t.o-k_n", WEBHOOK_URL: "https://example.com/hook", WEBHOOK_SECRET: SECRET });
    const sinks = makeSinks(["webhook", "log", "discord"], all, { writeLine });
    expect(sinks.map(({ name }) => name)).toEqual(["webhook", "log", "discord"]);
  });

  test("need no settings if only log is chosen", () => {
    expect(makeSinks(["log"], settings(), { writeLine })).toMatchObject([{ name: "log" }]);
  });

  test("are refused with all missing settings at once", () => {
    expect(sinkProblems(["discord", "webhook"], settings())).toEqual([
      "DISCORD_TOKEN must be set when SINKS names discord",
      "WEBHOOK_URL must be set when SINKS names webhook",
      "WEBHOOK_SECRET must be set when SINKS names webhook",
    ]);
    expect(sinkProblems(["log"], settings())).toEqual([]);
    expect(() => makeSinks(["discord"], settings(), { writeLine })).toThrow(SettingsError);
  });

  test("accept an http URL only if private targets are allowed", () => {
    const open = { WEBHOOK_URL: "http://bot.internal/hook", WEBHOOK_SECRET: SECRET };
    expect(sinkProblems(["webhook"], settings(open))).toHaveLength(1);
    expect(sinkProblems(["webhook"], settings({ ...open, WEBHOOK_ALLOW_PRIVATE: "yes" }))).toEqual([]);
    expect(sinkProblems(["webhook"], settings({ ...open, WEBHOOK_ALLOW_PRIVATE: "10.0.0.0/8" }))).toEqual([]);
  });

  test.each([
    ["DISCORD_TOKEN", "two words"],
    ["DISCORD_API_URL", "discord.com"],
    ["DISCORD_API_URL", "https://"],
    ["DISCORD_BOT_URL", "https://a b"],
    ["DISCORD_BOT_URL", "https://a.example/)"],
    ["DISCORD_BOT_URL", "https://a.example/("],
    ["DISCORD_REQUESTS_PER_SECOND", "-7"],
    ["WEBHOOK_URL", "ftp://example.com"],
    ["WEBHOOK_URL", "https://example.com:99999/"],
    ["WEBHOOK_URL", "https://example.com/a b"],
    ["WEBHOOK_SECRET", "secret"],
    ["WEBHOOK_SECRET", "whsec_c2hvcnQ="],
    ["WEBHOOK_ALLOW_PRIVATE", "maybe"],
  ])("refuse %s as %j without repeating the value", (name, value) => {
    const read = () => settings({ [name]: value });
    expect(read).toThrow(new RegExp(`^${name} must be `));
    expect(read).not.toThrow(new RegExp(RegExp.escape(value)));
  });

  test("refuse parentheses only in the URL that is sent in User-Agent, and name them", () => {
    const url = "https://example.com/hook(1)";
    expect(settings({ WEBHOOK_URL: url, DISCORD_API_URL: url })).toMatchObject({
      WEBHOOK_URL: url,
      DISCORD_API_URL: url,
    });
    expect(() => settings({ DISCORD_BOT_URL: url })).toThrow(
      "DISCORD_BOT_URL must be an http or https URL without white space or parentheses, in ASCII",
    );
  });
});
