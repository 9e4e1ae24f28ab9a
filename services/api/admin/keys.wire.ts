import {
  type ApiKeyView,
  KEY_ACCESS,
  KEY_CHANGES,
  KEY_KINDS,
  type KeyChange,
  type KeyChangesPage,
  type KeysPage,
  type IssuedKey,
} from "../../contracts/api-keys.contract.ts";
import { type ResponseField, EPOCH_MS, listIn, enumOf, STRING, LIST_OF_STRINGS } from "../wire/response-fields.ts";

export const issuedKeyFields: readonly ResponseField<IssuedKey>[] = [
  { wire: "id", value: ({ id }) => id, schema: STRING },
  { wire: "key", value: ({ key }) => key, schema: STRING },
];

export const previousUntilField: ResponseField<{ readonly previousUntil?: number }> = {
  wire: "previous_until",
  value: (key) => key.previousUntil,
  schema: EPOCH_MS,
  optional: true,
};

/** The properties of a key that the records of its changes have, too. */
const commonFields: readonly ResponseField<Pick<ApiKeyView, "kind" | "access" | "guilds" | "label">>[] = [
  { wire: "kind", value: ({ kind }) => kind, schema: enumOf(KEY_KINDS) },
  { wire: "access", value: ({ access }) => access, schema: enumOf(KEY_ACCESS) },
  { wire: "guilds", value: ({ guilds }) => guilds, schema: LIST_OF_STRINGS },
  { wire: "label", value: ({ label }) => label, schema: STRING },
];

const keyFields: readonly ResponseField<ApiKeyView>[] = [
  { wire: "id", value: ({ id }) => id, schema: STRING },
  ...commonFields,
  { wire: "created", value: ({ createdAt }) => createdAt, schema: EPOCH_MS },
  { wire: "expires", value: ({ expiresAt }) => expiresAt, schema: EPOCH_MS, optional: true },
  { wire: "revoked", value: ({ revokedAt }) => revokedAt, schema: EPOCH_MS, optional: true },
  { wire: "last_used", value: ({ lastUsedAt }) => lastUsedAt, schema: EPOCH_MS, optional: true },
  previousUntilField,
];

const changeFields: readonly ResponseField<KeyChange>[] = [
  { wire: "at", value: ({ at }) => at, schema: EPOCH_MS },
  { wire: "change", value: (each) => each.change, schema: enumOf(KEY_CHANGES) },
  { wire: "key_id", value: ({ keyId }) => keyId, schema: STRING },
  { wire: "by", value: ({ by }) => by, schema: STRING },
  ...commonFields,
];

export const listedChangesField = listIn(
  "changes",
  changeFields,
  "KeyChange",
  ({ changes }: KeyChangesPage) => changes,
);

export const nextPageField: ResponseField<Pick<KeyChangesPage, "next">> = {
  wire: "next",
  value: ({ next }) => next,
  schema: STRING,
  optional: true,
};

export const listedKeysField = listIn("keys", keyFields, "ApiKey", ({ keys }: KeysPage) => keys);
