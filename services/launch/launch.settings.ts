import { hostname } from "node:os";
import {
  choiceSetting,
  integerSetting,
  optionalSetting,
  type SettingsOf,
  textSetting,
} from "../../mixins/settings/environment.ts";

/** The settings that every process reads, whichever services it runs. */
export const launchSettings = {
  MONGO_URL: optionalSetting(
    "MongoDB replica set or mongos to use; if unset, an embedded mongod is started",
    "a mongodb:// or mongodb+srv:// URL",
    /^mongodb(?:\+srv)?:\/\/\S+$/,
  ),
  NATS_URL: optionalSetting(
    "NATS servers to use, separated by commas; if unset, `npm start` uses none, and `npm run start:nats` starts an embedded nats-server",
    "one or more nats:// URLs, or tls:// URLs, which refuse a server without TLS; separated by commas",
    /^(?:nats:\/\/[^\s,]+(?:,nats:\/\/[^\s,]+)*|tls:\/\/[^\s,]+(?:,tls:\/\/[^\s,]+)*)$/,
  ),
  NATS_PORT: integerSetting(
    "Port of the embedded nats-server of `npm run start:nats`; a free port for 0, or if it is in use",
    0,
    0,
    65_535,
  ),
  DATA_DIR: textSetting("Data folder of the embedded mongod", ".data", "a folder's path", /^[^\0]+$/),
  TZDATA_DIR: optionalSetting(
    "Folder of compiled time zones (TZif), such as /usr/share/zoneinfo, to use instead of the bundled release; read at start",
    "a folder's path",
    /^[^\0]+$/,
  ),
  LOG_LEVEL: choiceSetting("Lowest level that is logged", "info", ["trace", "debug", "info", "warn", "error", "fatal"]),
  NODE_NAME: textSetting(
    "Name of this process on the bus and in logs, after the name of its service; each replica should have its own",
    `${hostname().replaceAll(/[^A-Za-z0-9-]/g, "-")}-${process.pid}`,
    "letters, digits and hyphens",
    /^[A-Za-z0-9-]{1,100}$/,
  ),
};

export type LaunchSettings = SettingsOf<typeof launchSettings>;
