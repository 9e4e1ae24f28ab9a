import { createHmac } from "node:crypto";

/** The headers by which a receiver verifies a request (the Standard Webhooks scheme). */
export type SignatureHeaders = Readonly<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>>;

/**
 * Signs id, time and body together, so that a receiver recognizes a changed request, and by its time a repeated one.
 *
 * @param atSeconds - Unix time.
 * @param secret - `whsec_` and base64.
 */
export function signatureHeaders(id: string, atSeconds: number, body: string, secret: string): SignatureHeaders {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${atSeconds}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(atSeconds), "webhook-signature": `v1,${signature}` };
}
