import { privateNetworksSetting } from "../../mixins/http/private-networks.ts";
import { optionalSetting } from "../../mixins/settings/environment.ts";

/** The settings of the webhooks of guilds. */
export const webhooksSettings = {
  WEBHOOKS_KEY: optionalSetting(
    "Secret with which the secrets of the guilds' webhooks are encrypted. If it changes, each webhook is disabled until its secret is rotated. Unset: the first start creates one and stores it in `DATA_DIR`. A service in a separate process needs it set",
    "at least 32 characters of visible ASCII",
    /^[\x21-\x7e]{32,256}$/,
  ),
  WEBHOOKS_ALLOW_PRIVATE: privateNetworksSetting(
    "The private, loopback and link-local addresses that the guilds' webhooks may have, also by http",
  ),
};
