import type { ApiKeyView, KeyChange, KeyChangesPage, IssuedKey } from "../contracts/api-keys.contract.ts";

/** A key that was made or rotated, as the terminal shows it: this once. */
export function issuedKeyText(told: IssuedKey & { readonly previousUntil?: number }, json: boolean): string {
  if (json) return JSON.stringify(told);
  const { key, previousUntil } = told;
  return [
    key,
    "(shown this once: only its digest is kept)",
    ...(previousUntil === undefined ? [] : [`the one before is valid until ${shownTime(previousUntil)}`]),
  ].join("\n");
}

/** Every key, a line each. */
export function listing(keys: readonly ApiKeyView[], json: boolean): string {
  if (json) return JSON.stringify(keys);
  return keys.length === 0 ? "No key was ever made" : keys.map(keyLine).join("\n");
}

/** What was done about keys, a line each, and how to see what was before. */
export function auditing({ changes, next }: KeyChangesPage, json: boolean): string {
  if (json) return JSON.stringify({ changes, next });
  const lines = changes.length === 0 ? ["Nothing was done about keys"] : changes.map(changeLine);
  return [...lines, ...(next === undefined ? [] : [`there is more: --before ${next}`])].join("\n");
}

function changeLine({ at, change, keyId, by, label, ...key }: KeyChange): string {
  return [shownTime(at), change, keyId, `by ${by}`, ...whose(key), label].join("  ");
}

function whose({ kind, access, guilds }: Pick<ApiKeyView, "kind" | "access" | "guilds">): string[] {
  return [kind, access, kind === "guild" ? `guilds ${guilds.join(",")}` : "all guilds"];
}

function keyLine(key: ApiKeyView): string {
  const { id, label, createdAt, lastUsedAt } = key;
  const used = lastUsedAt === undefined ? "never used" : `used ${shownTime(lastUsedAt)}`;
  return [id, stateOf(key), ...whose(key), `made ${shownTime(createdAt)}`, used, label].join("  ");
}

function stateOf({ revokedAt, expiresAt }: ApiKeyView): string {
  if (revokedAt !== undefined) return `revoked ${shownTime(revokedAt)}`;
  return expiresAt === undefined ? "valid" : `valid until ${shownTime(expiresAt)}`;
}

function shownTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16)}Z`;
}
