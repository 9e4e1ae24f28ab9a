import type { ApiKeyView, KeyChange, KeyChangesPage, IssuedKey } from "../../contracts/api-keys.contract.ts";

/** The output for a key that was created or rotated: the only time that its text is shown. */
export function issuedKeyText(issued: IssuedKey & { readonly previousUntil?: number }, json: boolean): string {
  if (json) return JSON.stringify(issued);
  const { key, previousUntil } = issued;
  return [
    key,
    "(shown this once: only its digest is kept)",
    ...(previousUntil === undefined ? [] : [`the one before is valid until ${shownTime(previousUntil)}`]),
  ].join("\n");
}

/** One line for each key. */
export function keyListText(keys: readonly ApiKeyView[], json: boolean): string {
  if (json) return JSON.stringify(keys);
  return keys.length === 0 ? "No key was ever made" : keys.map(keyLine).join("\n");
}

/** One line for each change of a key, and the option that shows earlier ones. */
export function auditText({ changes, next }: KeyChangesPage, json: boolean): string {
  if (json) return JSON.stringify({ changes, next });
  const lines = changes.length === 0 ? ["Nothing was done about keys"] : changes.map(changeLine);
  return [...lines, ...(next === undefined ? [] : [`there is more: --before ${next}`])].join("\n");
}

function changeLine({ at, change, keyId, by, label, ...key }: KeyChange): string {
  return [shownTime(at), change, keyId, `by ${by}`, ...scopeText(key), label].join("  ");
}

function scopeText({ kind, access, guilds }: Pick<ApiKeyView, "kind" | "access" | "guilds">): string[] {
  return [kind, access, kind === "guild" ? `guilds ${guilds.join(",")}` : "all guilds"];
}

function keyLine(key: ApiKeyView): string {
  const { id, label, createdAt, lastUsedAt } = key;
  const used = lastUsedAt === undefined ? "never used" : `used ${shownTime(lastUsedAt)}`;
  return [id, stateOf(key), ...scopeText(key), `made ${shownTime(createdAt)}`, used, label].join("  ");
}

function stateOf({ revokedAt, expiresAt }: ApiKeyView): string {
  if (revokedAt !== undefined) return `revoked ${shownTime(revokedAt)}`;
  return expiresAt === undefined ? "valid" : `valid until ${shownTime(expiresAt)}`;
}

function shownTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16)}Z`;
}
