import type { ApiKeyView, KeyChange, KeyChangesPage, IssuedKey } from "../../contracts/api-keys.contract.ts";
import { timeText } from "./time-text.ts";

/** The output for a key that was created or rotated. The text of the key is not stored, and cannot be shown again. */
export function issuedKeyText(issued: IssuedKey & { readonly previousUntil?: number }, json: boolean): string {
  if (json) return JSON.stringify(issued);
  const { key, previousUntil } = issued;
  return [
    key,
    "(shown only now: guildcal stores only its digest)",
    ...(previousUntil === undefined ? [] : [`the one before is valid until ${timeText(previousUntil)}`]),
  ].join("\n");
}

/** One line for each key. */
export function keyListText(keys: readonly ApiKeyView[], json: boolean): string {
  if (json) return JSON.stringify(keys);
  return keys.length === 0 ? "No key was ever created" : keys.map(keyLine).join("\n");
}

/** One line for each change of a key, and the option that shows earlier ones. */
export function auditText({ changes, next }: KeyChangesPage, json: boolean): string {
  if (json) return JSON.stringify({ changes, next });
  const lines = changes.length === 0 ? ["No key was ever changed"] : changes.map(changeLine);
  return [...lines, ...(next === undefined ? [] : [`there is more: --before ${next}`])].join("\n");
}

function changeLine({ at, change, keyId, by, label, ...key }: KeyChange): string {
  return [timeText(at), change, keyId, `by ${by}`, ...scopeText(key), label].join("  ");
}

function scopeText({ kind, access, guilds }: Pick<ApiKeyView, "kind" | "access" | "guilds">): string[] {
  return [kind, access, kind === "guild" ? `guilds ${guilds.join(",")}` : "all guilds"];
}

function keyLine(key: ApiKeyView): string {
  const { id, label, createdAt, lastUsedAt } = key;
  const used = lastUsedAt === undefined ? "never used" : `used ${timeText(lastUsedAt)}`;
  return [id, stateOf(key), ...scopeText(key), `created ${timeText(createdAt)}`, used, label].join("  ");
}

function stateOf({ revokedAt, expiresAt }: ApiKeyView): string {
  if (revokedAt !== undefined) return `revoked ${timeText(revokedAt)}`;
  return expiresAt === undefined ? "valid" : `valid until ${timeText(expiresAt)}`;
}
