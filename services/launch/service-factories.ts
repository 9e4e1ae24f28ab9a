import type { ServiceSchema } from "moleculer";
import { pino } from "pino";
import { readEnvironment, type SettingsOf } from "../../mixins/settings/environment.ts";
import { probeSettings } from "../../mixins/observability/probes.middleware.ts";
import { tracingSettings } from "../../mixins/observability/tracing.settings.ts";
import { lineFormat } from "../../moleculer.config.ts";
import { announcementsService } from "../announcements/announcements.service.ts";
import { apiService } from "../api/api.service.ts";
import { apiSettings } from "../api/api.settings.ts";
import type { KeyHashing } from "../api/keys/key-digests.ts";
import type { RateSettings } from "../api/rates/gateway-rates.ts";
import { calendarEventsSettings } from "../calendar-events/calendar-events.settings.ts";
import { calendarEventsService } from "../calendar-events/calendar-events.service.ts";
import { dispatchService } from "../dispatch/dispatch.service.ts";
import { dispatchSettings } from "../dispatch/dispatch.settings.ts";
import { makeSinks, sinkProblems, sinkSettings } from "../dispatch/sinks.ts";
import { guildSettingsService } from "../guild-settings/guild-settings.service.ts";
import { launchSettings } from "./launch.settings.ts";
import type { ServiceName } from "../contracts/service-names.ts";
import { StartupError } from "./startup-error.ts";

/** Every setting of every process. */
export const ALL_SETTINGS = {
  ...launchSettings,
  ...probeSettings,
  ...tracingSettings,
  ...apiSettings,
  ...calendarEventsSettings,
  ...dispatchSettings,
  ...sinkSettings,
};

export type Settings = SettingsOf<typeof ALL_SETTINGS>;

/** Reads them all from the environment; throws one SettingsError for all that is wrong. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  return readEnvironment(env, ALL_SETTINGS, (values) => sinkProblems(values.SINKS ?? [], values));
}

/** What a service is made from. */
export interface ServiceContext {
  readonly mongoUrl: string;
  readonly settings: Settings;
  /** Given the API key of the very first start, once. */
  readonly onFirstKey: (key: string) => void;
  /** Given the gateway's port, once it takes requests. */
  readonly onListening: (port: number) => void;
}

const posts = pino(lineFormat("info"));

/** The log sink's lines are posts, not remarks: LOG_LEVEL does not silence them. */
function writeLine(fields: object, text: string): void {
  posts.info(fields, text);
}

function hashingOf({ API_KEY_PEPPER: pepper, API_KEY_ENV: env }: Settings): KeyHashing {
  if (pepper === undefined) throw new StartupError("API_KEY_PEPPER must be set for a gateway that runs alone");
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

type Factory = (context: ServiceContext) => ServiceSchema;

const FACTORIES: Readonly<Record<ServiceName, Factory>> = {
  api: ({ mongoUrl, settings, onFirstKey, onListening }) => {
    const { PORT: port, HOST: host, API_KEY: apiKey } = settings;
    const [hashing, rates] = [hashingOf(settings), ratesOf(settings)];
    const { CONNECTIONS_PER_ADDRESS: connectionsPerAddress, CORS_ORIGINS: corsOrigins = [] } = settings;
    const given = { mongoUrl, port, host, hashing, rates, connectionsPerAddress, corsOrigins, apiKey };
    return apiService({ ...given, onFirstKey, onListening });
  },
  dispatch: ({ mongoUrl, settings }) =>
    dispatchService({
      mongoUrl,
      sinks: makeSinks(settings.SINKS, settings, { writeLine }),
      graceMs: settings.GRACE_MINUTES * 60_000,
    }),
  announcements: ({ mongoUrl }) => announcementsService({ mongoUrl }),
  "calendar-events": ({ mongoUrl, settings }) =>
    calendarEventsService({ mongoUrl, eventsPerGuild: settings.EVENTS_PER_GUILD }),
  "guild-settings": ({ mongoUrl }) => guildSettingsService({ mongoUrl }),
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

/** The settings that each service's process reads, by name: a process is given no other. */
export const SETTINGS_OF: Readonly<Record<ServiceName, readonly string[]>> = {
  api: [...SHARED_SETTINGS, ...Object.keys(apiSettings)],
  dispatch: [...SHARED_SETTINGS, ...Object.keys(dispatchSettings), ...Object.keys(sinkSettings)],
  announcements: SHARED_SETTINGS,
  "calendar-events": [...SHARED_SETTINGS, ...Object.keys(calendarEventsSettings)],
  "guild-settings": SHARED_SETTINGS,
};

export function makeService(name: ServiceName, context: ServiceContext): ServiceSchema {
  return FACTORIES[name](context);
}
