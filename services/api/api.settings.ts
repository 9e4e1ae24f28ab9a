import { integerSetting, optionalSetting, textSetting } from "../../mixins/environment.ts";

/** The gateway's settings. */
export const apiSettings = {
  PORT: integerSetting("The port of the HTTP interface; 0 takes a free one", 3000, 0, 65_535),
  HOST: textSetting(
    "The address that the HTTP interface listens on; 0.0.0.0 for every one",
    "127.0.0.1",
    "an IP address or a host name",
    /^[A-Za-z0-9.:_-]{1,255}$/,
  ),
  API_KEY: optionalSetting(
    "An operator's API key; unset: one is made at the first start and shown once",
    "at least 20 characters of visible ASCII",
    /^[\x21-\x7e]{20,256}$/,
  ),
  API_KEY_PEPPER: optionalSetting(
    "What the digests of API keys are made with: another one, and no key opens any more; unset: one that is made at the first start and kept in `DATA_DIR`. A gateway in a process of its own needs it set",
    "at least 32 characters of visible ASCII",
    /^[\x21-\x7e]{32,256}$/,
  ),
  API_KEY_ENV: textSetting(
    "The second word of API keys (`gc_live_…`): tells those of one installation from those of another",
    "live",
    "1 to 16 lower-case letters or digits",
    /^[a-z0-9]{1,16}$/,
  ),
} as const;
