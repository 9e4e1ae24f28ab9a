import {
  type ApiKeyView,
  KEY_ACCESS,
  KEY_CHANGES,
  KEY_KINDS,
  type KeyChange,
  type KeyChangesPage,
  type KeysPage,
  type IssuedKey,
  type rotateKey,
} from "../../contracts/api-keys.contract.ts";
import type { ResultOf } from "../../contracts/contract.ts";
import {
  EPOCH_MS,
  listIn,
  enumOf,
  optional,
  responseFields,
  shown,
  STRING,
  LIST_OF_STRINGS,
} from "../wire/response-fields.ts";

const issuedKeyTable = { id: shown("id", STRING), key: shown("key", STRING) };

export const issuedKeyFields = responseFields<IssuedKey>(issuedKeyTable);

const previousUntilField = optional(shown("previous_until", EPOCH_MS));

export const rotatedKeyFields = responseFields<ResultOf<typeof rotateKey>>({
  ...issuedKeyTable,
  previousUntil: previousUntilField,
});

/** The properties of a key that the records of its changes have, too. */
const commonFields = {
  kind: shown("kind", enumOf(KEY_KINDS)),
  access: shown("access", enumOf(KEY_ACCESS)),
  guilds: shown("guilds", LIST_OF_STRINGS),
  label: shown("label", STRING),
};

const keyFields = responseFields<ApiKeyView>({
  id: shown("id", STRING),
  ...commonFields,
  createdAt: shown("created", EPOCH_MS),
  expiresAt: optional(shown("expires", EPOCH_MS)),
  revokedAt: optional(shown("revoked", EPOCH_MS)),
  lastUsedAt: optional(shown("last_used", EPOCH_MS)),
  previousUntil: previousUntilField,
});

const changeFields = responseFields<KeyChange>({
  at: shown("at", EPOCH_MS),
  change: shown("change", enumOf(KEY_CHANGES)),
  keyId: shown("key_id", STRING),
  by: shown("by", STRING),
  ...commonFields,
});

export const listedChangesField = listIn(
  "changes",
  changeFields,
  "KeyChange",
  ({ changes }: KeyChangesPage) => changes,
);

export const listedKeysField = listIn("keys", keyFields, "ApiKey", ({ keys }: KeysPage) => keys);
