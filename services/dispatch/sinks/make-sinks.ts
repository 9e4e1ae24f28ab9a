import { SettingsError, type SettingsOf } from "../../../mixins/settings/environment.ts";
import { discordSettings, discordSink } from "./discord/discord.sink.ts";
import { logSink, type WriteLine } from "./log/log.sink.ts";
import type { Sink } from "./sink.ts";
import { webhookSettings, webhookSink } from "./webhook/webhook.sink.ts";

/** The settings of all sinks. */
export const sinkSettings = { ...discordSettings, ...webhookSettings };
type SinkSettings = SettingsOf<typeof sinkSettings>;
type SinkName = Sink["name"];

/** What keeps the chosen sinks from being made, a line each: settings that are right alone and wrong together. */
export function sinkProblems(names: readonly SinkName[], settings: Partial<SinkSettings>): readonly string[] {
  const needed = (sink: SinkName, setting: keyof SinkSettings) =>
    names.includes(sink) && settings[setting] === undefined ? [`${setting} must be set when SINKS names ${sink}`] : [];
  const isOpen = names.includes("webhook") && settings.WEBHOOK_URL?.startsWith("http:") === true;
  return [
    ...needed("discord", "DISCORD_TOKEN"),
    ...needed("webhook", "WEBHOOK_URL"),
    ...needed("webhook", "WEBHOOK_SECRET"),
    ...(isOpen && settings.WEBHOOK_ALLOW_PRIVATE === "no"
      ? ["WEBHOOK_URL must be an https URL unless WEBHOOK_ALLOW_PRIVATE is yes"]
      : []),
  ];
}

/** Makes the chosen sinks (D34); throws one SettingsError that names all that is missing. */
export function makeSinks(
  names: readonly SinkName[],
  settings: SinkSettings,
  parts: { readonly writeLine: WriteLine },
): readonly Sink[] {
  const problems = sinkProblems(names, settings);
  if (problems.length > 0) throw new SettingsError(problems);
  return names.map((name) => makeSink(name, settings, parts.writeLine));
}

function makeSink(name: SinkName, settings: SinkSettings, writeLine: WriteLine): Sink {
  switch (name) {
    case "log":
      return logSink({ writeLine });
    case "discord":
      return discordSink({
        token: settings.DISCORD_TOKEN ?? "",
        apiUrl: settings.DISCORD_API_URL,
        botUrl: settings.DISCORD_BOT_URL,
        requestsPerSecond: settings.DISCORD_REQUESTS_PER_SECOND,
      });
    case "webhook":
      return webhookSink({
        url: settings.WEBHOOK_URL ?? "",
        secret: settings.WEBHOOK_SECRET ?? "",
        allowPrivate: settings.WEBHOOK_ALLOW_PRIVATE === "yes",
      });
  }
}
