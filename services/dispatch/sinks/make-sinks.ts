import { SettingsError, type SettingsOf } from "../../../mixins/settings/environment.ts";
import { discordSettings } from "./discord/discord.settings.ts";
import { discordSink } from "./discord/discord.sink.ts";
import { logSink, type WriteLine } from "./log/log.sink.ts";
import type { ConfiguredSinkName } from "../domain/post/sink-name.ts";
import type { Sink } from "./sink.ts";
import { webhookSettings, webhookSink } from "./webhook/webhook.sink.ts";

/** The settings of all sinks. */
export const sinkSettings = { ...discordSettings, ...webhookSettings };
type SinkSettings = SettingsOf<typeof sinkSettings>;

/** Problems of the settings of the chosen sinks that the check of single settings does not find. */
export function sinkProblems(names: readonly ConfiguredSinkName[], settings: Partial<SinkSettings>): readonly string[] {
  const needed = (sink: ConfiguredSinkName, setting: keyof SinkSettings) =>
    names.includes(sink) && settings[setting] === undefined ? [`${setting} must be set when SINKS names ${sink}`] : [];
  const isPlainHttp = names.includes("webhook") && settings.WEBHOOK_URL?.startsWith("http:") === true;
  return [
    ...needed("discord", "DISCORD_TOKEN"),
    ...needed("webhook", "WEBHOOK_URL"),
    ...needed("webhook", "WEBHOOK_SECRET"),
    ...(isPlainHttp && settings.WEBHOOK_ALLOW_PRIVATE === false
      ? ["WEBHOOK_URL must be an https URL unless WEBHOOK_ALLOW_PRIVATE allows its address"]
      : []),
  ];
}

/** Makes the chosen sinks (D34). Throws one SettingsError with all problems. */
export function makeSinks(
  names: readonly ConfiguredSinkName[],
  settings: SinkSettings,
  { writeLine }: { readonly writeLine: WriteLine },
): readonly Sink[] {
  const problems = sinkProblems(names, settings);
  if (problems.length > 0) throw new SettingsError(problems);
  return names.map((name) => makeSink(name, settings, writeLine));
}

function makeSink(name: ConfiguredSinkName, settings: SinkSettings, writeLine: WriteLine): Sink {
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
        allowPrivate: settings.WEBHOOK_ALLOW_PRIVATE,
      });
  }
}
