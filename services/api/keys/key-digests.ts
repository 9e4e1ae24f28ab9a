import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { KeySecret } from "../domain/api-key.ts";
import { encodeKey } from "./key-text.ts";

/** What an installation's keys have in common. */
export interface KeySeal {
  /** Kept apart from the database: without it, whoever reads the digests can't even try keys. */
  readonly pepper: string;
  readonly env: string;
}

/** A key that was made now: its text, told once, and what is kept of it. */
export interface SealedKey {
  readonly key: string;
  readonly secret: KeySecret;
}

/** The key of the very first start: with a fixed id, one gateway alone comes to make it. */
export const FIRST_ID = "first";

/** A new id: what makes it another one, and a seal of this installation, without which nobody can make up one. */
export function newId(pepper: string): string {
  const unique = randomBytes(6).toString("hex");
  return unique + idSeal(pepper, unique);
}

/** Whether an id was made here. Some that were made before ids had seals are not told. */
export function isOurId(pepper: string, id: string): boolean {
  return id === FIRST_ID || (id.length === 20 && sameDigest(id.slice(12), idSeal(pepper, id.slice(0, 12))));
}

function idSeal(pepper: string, unique: string): string {
  return keyDigest(pepper, `id ${unique}`).slice(0, 8);
}

export function sealNewKey({ pepper, env }: KeySeal, id: string): SealedKey {
  const key = encodeKey({ env, id, secret: randomBytes(32).toString("hex") });
  return { key, secret: { digest: keyDigest(pepper, key), pepperId: pepperId(pepper) } };
}

export function keyDigest(pepper: string, key: string): string {
  return createHmac("sha256", pepper).update(key).digest("hex");
}

/** Names a pepper without telling it. */
export function pepperId(pepper: string): string {
  return keyDigest(pepper, "which pepper").slice(0, 8);
}

/** Whether two digests are the same, in a time that does not tell where they differ. */
export function sameDigest(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
