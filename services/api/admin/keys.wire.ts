import { type ApiKeyView, KEY_ACCESS, KEY_KINDS, type ToldKey } from "../../contracts/api-keys.contract.ts";
import { type AnswerField, encodeFields, EPOCH_MS, objectOf, oneOfNames, STRING, STRINGS } from "../answer-fields.ts";

export const told: readonly AnswerField<ToldKey>[] = [
  { wire: "id", value: ({ id }) => id, schema: STRING },
  {
    wire: "key",
    value: ({ key }) => key,
    schema: { type: "string", description: "Told this once: only its digest is kept" },
  },
];

export const previousUntil: AnswerField<{ readonly previousUntil?: number }> = {
  wire: "previous_until",
  value: (key) => key.previousUntil,
  schema: EPOCH_MS,
  optional: true,
};

const key: readonly AnswerField<ApiKeyView>[] = [
  { wire: "id", value: ({ id }) => id, schema: STRING },
  { wire: "kind", value: ({ kind }) => kind, schema: oneOfNames(KEY_KINDS) },
  { wire: "access", value: ({ access }) => access, schema: oneOfNames(KEY_ACCESS) },
  { wire: "guilds", value: ({ guilds }) => guilds, schema: STRINGS },
  { wire: "label", value: ({ label }) => label, schema: STRING },
  { wire: "created", value: ({ createdAt }) => createdAt, schema: EPOCH_MS },
  { wire: "expires", value: ({ expiresAt }) => expiresAt, schema: EPOCH_MS, optional: true },
  { wire: "revoked", value: ({ revokedAt }) => revokedAt, schema: EPOCH_MS, optional: true },
  { wire: "last_used", value: ({ lastUsedAt }) => lastUsedAt, schema: EPOCH_MS, optional: true },
  previousUntil,
];

export const listedKeys: AnswerField<readonly ApiKeyView[]> = {
  wire: "keys",
  value: (keys) => keys.map((each) => encodeFields(key, each)),
  schema: { type: "array", items: objectOf(key) },
};
