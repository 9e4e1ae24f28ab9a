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
import { type AnswerField, EPOCH_MS, listIn, oneOfNames, STRING, STRINGS } from "../wire/response-fields.ts";

export const issuedKeyFields: readonly AnswerField<IssuedKey>[] = [
  { wire: "id", value: ({ id }) => id, schema: STRING },
  {
    wire: "key",
    value: ({ key }) => key,
    schema: STRING,
  },
];

export const previousUntil: AnswerField<{ readonly previousUntil?: number }> = {
  wire: "previous_until",
  value: (key) => key.previousUntil,
  schema: EPOCH_MS,
  optional: true,
};

/** Whose a key is, as a key and each record of a change say it. */
const whose: readonly AnswerField<Pick<ApiKeyView, "kind" | "access" | "guilds" | "label">>[] = [
  { wire: "kind", value: ({ kind }) => kind, schema: oneOfNames(KEY_KINDS) },
  { wire: "access", value: ({ access }) => access, schema: oneOfNames(KEY_ACCESS) },
  { wire: "guilds", value: ({ guilds }) => guilds, schema: STRINGS },
  { wire: "label", value: ({ label }) => label, schema: STRING },
];

const key: readonly AnswerField<ApiKeyView>[] = [
  { wire: "id", value: ({ id }) => id, schema: STRING },
  ...whose,
  { wire: "created", value: ({ createdAt }) => createdAt, schema: EPOCH_MS },
  { wire: "expires", value: ({ expiresAt }) => expiresAt, schema: EPOCH_MS, optional: true },
  { wire: "revoked", value: ({ revokedAt }) => revokedAt, schema: EPOCH_MS, optional: true },
  { wire: "last_used", value: ({ lastUsedAt }) => lastUsedAt, schema: EPOCH_MS, optional: true },
  previousUntil,
];

const change: readonly AnswerField<KeyChange>[] = [
  { wire: "at", value: ({ at }) => at, schema: EPOCH_MS },
  { wire: "change", value: (each) => each.change, schema: oneOfNames(KEY_CHANGES) },
  { wire: "key_id", value: ({ keyId }) => keyId, schema: STRING },
  {
    wire: "by",
    value: ({ by }) => by,
    schema: STRING,
  },
  ...whose,
];

export const listedChanges = listIn("changes", change, "KeyChange", ({ changes }: KeyChangesPage) => changes);

export const nextPage: AnswerField<Pick<KeyChangesPage, "next">> = {
  wire: "next",
  value: ({ next }) => next,
  schema: STRING,
  optional: true,
};

export const listedKeys = listIn("keys", key, "ApiKey", ({ keys }: KeysPage) => keys);
