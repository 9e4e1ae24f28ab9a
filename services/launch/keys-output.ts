import type { ApiKeyView, ToldKey } from "../contracts/api-keys.contract.ts";

/** A key that was made or rotated, as the terminal shows it: this once. */
export function toldText(told: ToldKey & { readonly previousUntil?: number }, json: boolean): string {
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

function keyLine(key: ApiKeyView): string {
  const { id, kind, access, guilds, label, createdAt, lastUsedAt } = key;
  const opens = kind === "guild" ? `guilds ${guilds.join(",")}` : "all guilds";
  const used = lastUsedAt === undefined ? "never used" : `used ${shownTime(lastUsedAt)}`;
  return [id, stateOf(key), kind, access, opens, `made ${shownTime(createdAt)}`, used, label].join("  ");
}

function stateOf({ revokedAt, expiresAt }: ApiKeyView): string {
  if (revokedAt !== undefined) return `revoked ${shownTime(revokedAt)}`;
  return expiresAt === undefined ? "valid" : `valid until ${shownTime(expiresAt)}`;
}

function shownTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16)}Z`;
}
