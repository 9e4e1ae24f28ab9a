import type { ServiceSchema } from "moleculer";
import { pino } from "pino";
import { readEnvironment, type SettingsOf } from "../../../mixins/settings/environment.ts";
import { probeSettings } from "../../../mixins/observability/probes.middleware.ts";
import { tracingSettings } from "../../../mixins/observability/tracing.settings.ts";
import { lineFormat } from "../../../moleculer.config.ts";
import { apiSettings } from "../../api/api.settings.ts";
import type { BusUser } from "../../api/bus/bus-user.ts";
import type { KeyHashing } from "../../api/keys/key-digests.ts";
import type { RateSettings } from "../../api/rates/gateway-rates.ts";
import { calendarEventsSettings } from "../../calendar-events/calendar-events.settings.ts";
import { dispatchSettings } from "../../dispatch/dispatch.settings.ts";
import { makeSinks, sinkProblems, sinkSettings } from "../../dispatch/sinks/make-sinks.ts";
import { webhooksSettings } from "../../webhooks/webhooks.settings.ts";
import { launchSettings } from "../launch.settings.ts";
import type { ServiceName } from "../../contracts/service-names.ts";
import { StartupError } from "./startup-error.ts";

/** All settings of all processes. */
export const ALL_SETTINGS = {
  ...launchSettings,
  ...probeSettings,
  ...tracingSettings,
  ...apiSettings,
  ...calendarEventsSettings,
  ...dispatchSettings,
  ...sinkSettings,
  ...webhooksSettings,
};

export type Settings = SettingsOf<typeof ALL_SETTINGS>;

/** Reads all settings from the environment; throws one SettingsError that names every problem. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  return readEnvironment(env, ALL_SETTINGS, (values) => sinkProblems(values.SINKS ?? [], values));
}

/** The arguments of a service factory. */
export interface ServiceContext {
  readonly mongoUrl: string;
  readonly settings: Settings;
  /** Receives the API key that the first start creates. */
  readonly onFirstKey: (key: string) => void;
  /** Receives the port of the gateway when it accepts requests. */
  readonly onListening: (port: number) => void;
  /** Receives the bus users that are not revoked, at the start and after each change. */
  readonly onBusUsers?: (users: readonly BusUser[]) => void;
}

const postLogger = pino(lineFormat("info"));

/** Writes a post of the log sink as a log line. LOG_LEVEL must not suppress it. */
function writePostLine(fields: object, text: string): void {
  postLogger.info(fields, text);
}

function hashingOf({ API_KEY_PEPPER: pepper, API_KEY_ENV: env }: Settings): KeyHashing {
  if (pepper === undefined) throw new StartupError("API_KEY_PEPPER must be set for a gateway in a process of its own");
  return { pepper, env };
}

function ratesOf(settings: Settings): RateSettings {
  return {
    perKey: settings.REQUESTS_PER_KEY,
    perGuild: settings.REQUESTS_PER_GUILD,
    failedKeysPerAddress: settings.FAILED_KEYS_PER_ADDRESS,
    trustedProxies: settings.TRUSTED_PROXIES ?? [],
  };
}

type Factory = (context: ServiceContext) => Promise<ServiceSchema>;

/** A factory imports the code of its service when it is called: a process of one service loads no other. */
const FACTORIES: Readonly<Record<ServiceName, Factory>> = {
  api: async ({ mongoUrl, settings, onFirstKey, onListening, onBusUsers }) => {
    const { PORT: port, HOST: host, API_KEY: apiKey, NATS_URL: busUrl } = settings;
    const [hashing, rates] = [hashingOf(settings), ratesOf(settings)];
    const { CONNECTIONS_PER_ADDRESS: connectionsPerAddress, CORS_ORIGINS: corsOrigins = [] } = settings;
    const options = { mongoUrl, port, host, hashing, rates, connectionsPerAddress, corsOrigins, apiKey, busUrl };
    const { apiService } = await import("../../api/api.service.ts");
    return apiService({ ...options, onFirstKey, onListening, ...(onBusUsers === undefined ? {} : { onBusUsers }) });
  },
  dispatch: async ({ mongoUrl, settings }) => {
    const { dispatchService } = await import("../../dispatch/dispatch.service.ts");
    return dispatchService({
      mongoUrl,
      sinks: makeSinks(settings.SINKS, settings, { writeLine: writePostLine }),
      graceMs: settings.GRACE_MINUTES * 60_000,
    });
  },
  announcements: async ({ mongoUrl }) => {
    const { announcementsService } = await import("../../announcements/announcements.service.ts");
    return announcementsService({ mongoUrl });
  },
  "calendar-events": async ({ mongoUrl, settings }) => {
    const { calendarEventsService } = await import("../../calendar-events/calendar-events.service.ts");
    return calendarEventsService({
      mongoUrl,
      eventsPerGuild: settings.EVENTS_PER_GUILD,
      follow: { allowPrivate: settings.FOLLOW_ALLOW_PRIVATE },
    });
  },
  "guild-settings": async ({ mongoUrl }) => {
    const { guildSettingsService } = await import("../../guild-settings/guild-settings.service.ts");
    return guildSettingsService({ mongoUrl });
  },
  webhooks: async ({ mongoUrl, settings: { WEBHOOKS_KEY: key, WEBHOOKS_ALLOW_PRIVATE: allowPrivate } }) => {
    if (key === undefined) throw new StartupError("WEBHOOKS_KEY must be set for webhooks in a process of their own");
    const { webhooksService } = await import("../../webhooks/webhooks.service.ts");
    return webhooksService({ mongoUrl, key, allowPrivate });
  },
};

export function isServiceName(text: string): text is ServiceName {
  return Object.hasOwn(FACTORIES, text);
}

/** The settings that every service reads. */
const SHARED_SETTINGS = [
  ...Object.keys(launchSettings),
  ...Object.keys(probeSettings),
  ...Object.keys(tracingSettings),
  "HOST",
];

/** Names of the settings that each service reads; its process receives no others. */
export const SETTINGS_OF: Readonly<Record<ServiceName, readonly string[]>> = {
  api: [...SHARED_SETTINGS, ...Object.keys(apiSettings)],
  dispatch: [...SHARED_SETTINGS, ...Object.keys(dispatchSettings), ...Object.keys(sinkSettings)],
  announcements: SHARED_SETTINGS,
  "calendar-events": [...SHARED_SETTINGS, ...Object.keys(calendarEventsSettings)],
  "guild-settings": SHARED_SETTINGS,
  webhooks: [...SHARED_SETTINGS, ...Object.keys(webhooksSettings)],
};

export function makeService(name: ServiceName, context: ServiceContext): Promise<ServiceSchema> {
  return FACTORIES[name](context);
}
