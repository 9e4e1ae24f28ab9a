import { integerSetting, optionalSetting, type Setting, textSetting } from "../../mixins/settings/environment.ts";
import { isNetwork } from "./rates/client-address.ts";

const trustedProxies: Setting<readonly string[] | undefined> = {
  about:
    "Proxies whose `X-Forwarded-For` is believed when failed keys are counted by address, and whose connections are not limited by address",
  defaultText: undefined,
  expects: "IP addresses or networks such as 10.0.0.0/8, separated by commas",
  parse(text) {
    const networks = text.split(",").map((each) => each.trim());
    return networks.every(isNetwork) ? networks : undefined;
  },
};

/** As a browser spells an origin: scheme, host, and the port where it is not the usual one (RFC 6454 section 6). */
const ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/;

const corsOrigins: Setting<readonly string[] | undefined> = {
  about: "Web pages that may ask the gateway from a browser, by their origins; `*` for all; unset: the docs page alone",
  defaultText: undefined,
  expects: "origins such as https://dashboard.example, separated by commas, or *",
  parse(text) {
    const origins = text.split(",").map((each) => each.trim());
    return text.trim() === "*" || origins.every((origin) => ORIGIN.test(origin)) ? origins : undefined;
  },
};

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
  REQUESTS_PER_KEY: integerSetting(
    "Most requests a minute with one API key, over all gateways; 0 for no limit",
    12_000,
    0,
    10_000_000,
  ),
  REQUESTS_PER_GUILD: integerSetting(
    "Most requests a minute for one guild, over all gateways; 0 for no limit",
    6_000,
    0,
    10_000_000,
  ),
  FAILED_KEYS_PER_ADDRESS: integerSetting(
    "Most requests a minute with a wrong key that one address is answered with 401; 0 for no limit",
    60,
    0,
    10_000_000,
  ),
  CONNECTIONS_PER_ADDRESS: integerSetting(
    "Most connections that one address has open with one gateway; 0 for no limit. Addresses in `TRUSTED_PROXIES` have none",
    1_000,
    0,
    100_000,
  ),
  TRUSTED_PROXIES: trustedProxies,
  CORS_ORIGINS: corsOrigins,
} as const;
