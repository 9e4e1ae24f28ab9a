import { hostname } from "node:os";
import {
  choiceSetting,
  integerSetting,
  optionalSetting,
  type SettingsOf,
  textSetting,
} from "../../mixins/settings/environment.ts";

/** Settings that every process shares, whichever services it runs. */
export const launchSettings = {
  MONGO_URL: optionalSetting(
    "MongoDB replica set or mongos to use; unset: an embedded mongod",
    "a mongodb:// or mongodb+srv:// URL",
    /^mongodb(?:\+srv)?:\/\/\S+$/,
  ),
  NATS_URL: optionalSetting(
    "NATS servers to use, separated by commas; unset: none in one process, an embedded nats-server for `npm run start:nats`",
    "one or more nats:// URLs, separated by commas",
    /^nats:\/\/[^\s,]+(?:,nats:\/\/[^\s,]+)*$/,
  ),
  NATS_PORT: integerSetting(
    "The port of the embedded nats-server of `npm run start:nats`; 0, or one that is in use: a free one",
    0,
    0,
    65_535,
  ),
  DATA_DIR: textSetting("Folder of the embedded mongod's data", ".data", "a folder's path", /^[^\0]+$/),
  TZDATA_DIR: optionalSetting(
    "Folder of compiled time zones (TZif) of a newer release than the one that guildcal brings, such as /usr/share/zoneinfo; read at start",
    "a folder's path",
    /^[^\0]+$/,
  ),
  LOG_LEVEL: choiceSetting("Least level that is logged", "info", ["trace", "debug", "info", "warn", "error", "fatal"]),
  NODE_NAME: textSetting(
    "Name of this process on the bus and in logs, behind its service's; each replica should have its own",
    `${hostname().replaceAll(/[^A-Za-z0-9-]/g, "-")}-${process.pid}`,
    "letters, digits and hyphens",
    /^[A-Za-z0-9-]{1,100}$/,
  ),
};

export type LaunchSettings = SettingsOf<typeof launchSettings>;
