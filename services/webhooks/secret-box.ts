import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const IV_BYTES = 12;
const TAG_BYTES = 16;
const SECRET_BYTES = 32;
const CIPHER = "aes-256-gcm";

/** Encrypts secrets with the key of the installation, so that a stolen database or backup does not reveal them. */
export interface SecretBox {
  seal(webhookId: string, secret: string): string;
  /** Undefined if the secret was sealed with another key, or for another webhook. */
  open(webhookId: string, sealed: string): string | undefined;
}

/** A new secret: `whsec_` and the base64 of 256 bits. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
}

export function secretBox(installationKey: string): SecretBox {
  const key = Buffer.from(hkdfSync("sha256", installationKey, "", "secrets of guild webhooks", 32));
  return {
    seal(webhookId, secret) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(webhookId));
      const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
    },
    open(webhookId, sealed) {
      const bytes = Buffer.from(sealed, "base64url");
      try {
        const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
          .setAAD(Buffer.from(webhookId))
          .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString(
          "utf8",
        );
      } catch {
        return undefined;
      }
    },
  };
}
