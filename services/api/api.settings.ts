import { integerSetting, optionalSetting, type Setting, textSetting } from "../../mixins/settings/environment.ts";
import { isNetwork } from "./rates/client-address.ts";

const trustedProxies: Setting<readonly string[] | undefined> = {
  about:
    "Proxies whose `X-Forwarded-For` is trusted when failed keys are counted by address, and whose connections are not limited by address",
  defaultText: undefined,
  expects: "IP addresses or networks such as 10.0.0.0/8, separated by commas",
  parse(text) {
    const networks = text.split(",").map((part) => part.trim());
    return networks.every(isNetwork) ? networks : undefined;
  },
};

/** An origin as browsers serialize it: scheme, host, and the port unless it is the default (RFC 6454 section 6). */
const ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/;

const corsOrigins: Setting<readonly string[] | undefined> = {
  about:
    "Origins of web pages that may call the API from a browser (CORS); `*` for all; unset: only the docs page and the console",
  defaultText: undefined,
  expects: "origins such as https://dashboard.example, separated by commas, or *",
  parse(text) {
    const origins = text.split(",").map((part) => part.trim());
    return text.trim() === "*" || origins.every((origin) => ORIGIN.test(origin)) ? origins : undefined;
  },
};

/** The gateway's settings. */
export const apiSettings = {
  PORT: integerSetting("Port of the HTTP API; 0 for any free port", 3000, 0, 65_535),
  HOST: textSetting(
    "Address that the HTTP API listens on; 0.0.0.0 for all addresses",
    "127.0.0.1",
    "an IP address or a host name",
    /^[A-Za-z0-9.:_-]{1,255}$/,
  ),
  API_KEY: optionalSetting(
    "An operator's API key; unset: the first start creates one and shows it once",
    "at least 20 characters of visible ASCII",
    /^[\x21-\x7e]{20,256}$/,
  ),
  API_KEY_PEPPER: optionalSetting(
    "Secret with which API keys are hashed. If it changes, no stored key is accepted. Unset: the first start creates one and stores it in `DATA_DIR`. A gateway in a separate process needs it set",
    "at least 32 characters of visible ASCII",
    /^[\x21-\x7e]{32,256}$/,
  ),
  API_KEY_ENV: textSetting(
    "The second part of API keys (`gc_live_…`), which distinguishes the keys of one installation from those of another",
    "live",
    "1 to 16 lower-case letters or digits",
    /^[a-z0-9]{1,16}$/,
  ),
  REQUESTS_PER_KEY: integerSetting(
    "Requests per minute with one API key, over all gateways; 0 for no limit",
    12_000,
    0,
    10_000_000,
  ),
  REQUESTS_PER_GUILD: integerSetting(
    "Requests per minute for one guild, over all gateways; 0 for no limit",
    6_000,
    0,
    10_000_000,
  ),
  FAILED_KEYS_PER_ADDRESS: integerSetting(
    "Requests per minute with an invalid key or feed token from one address that get 401 or 404; further ones get 429. 0 for no limit",
    60,
    0,
    10_000_000,
  ),
  CONNECTIONS_PER_ADDRESS: integerSetting(
    "Open connections from one address to one gateway; 0 for no limit. `TRUSTED_PROXIES` have no limit",
    1_000,
    0,
    100_000,
  ),
  TRUSTED_PROXIES: trustedProxies,
  CORS_ORIGINS: corsOrigins,
} as const;
