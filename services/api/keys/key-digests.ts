import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { KeySecret } from "../domain/api-key.ts";
import { encodeKey } from "./key-text.ts";

/** Parameters of all keys of an installation. */
export interface KeyHashing {
  /** Secret key of the digests. It is not in the database, so that guessed keys cannot be tested with a stolen database. */
  readonly pepper: string;
  readonly env: string;
}

/** A new key: its text, which is shown once, and the secret's digest, which is stored. */
export interface NewKey {
  readonly key: string;
  readonly secret: KeySecret;
}

/** Id of the key of the first start. It is fixed, so that only one gateway can insert the key. */
export const FIRST_KEY_ID = "first";

/** A random id with a signature of this installation. */
export function newKeyId(pepper: string): string {
  const unique = randomBytes(6).toString("hex");
  return unique + idSignature(pepper, unique);
}

/** Whether the id has a valid signature, or is that of the first key. Other ids of early versions have no signature. */
export function isSignedId(pepper: string, id: string): boolean {
  return id === FIRST_KEY_ID || (id.length === 20 && sameDigest(id.slice(12), idSignature(pepper, id.slice(0, 12))));
}

function idSignature(pepper: string, unique: string): string {
  return keyDigest(pepper, `id ${unique}`).slice(0, 8);
}

export function generateKey({ pepper, env }: KeyHashing, id: string, prefix?: string): NewKey {
  const key = encodeKey({ env, id, secret: randomBytes(32).toString("hex") }, prefix);
  return { key, secret: { digest: keyDigest(pepper, key), pepperId: pepperId(pepper) } };
}

export function keyDigest(pepper: string, key: string): string {
  return createHmac("sha256", pepper).update(key).digest("hex");
}

/** Identifies a pepper without revealing it. */
export function pepperId(pepper: string): string {
  return keyDigest(pepper, "which pepper").slice(0, 8);
}

/** Compares two digests in constant time. */
export function sameDigest(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
