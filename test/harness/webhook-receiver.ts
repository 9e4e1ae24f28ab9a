import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A request that a receiver of webhooks got. */
export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver of webhooks on loopback. */
export interface WebhookReceiver {
  readonly url: string;
  readonly received: readonly ReceivedWebhook[];
  close(): Promise<void>;
}

/** @param respond - The status of the response to a request; 200 for all when absent. */
export async function startReceiver(
  respond: (request: ReceivedWebhook) => number | Promise<number> = () => 200,
): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const server = createServer((request, response) => void serve(request, response));
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const webhook = { headers: request.headers, body: await text(request) };
    received.push(webhook);
    response.writeHead(await respond(webhook)).end();
  }
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/**
 * Verifies a request as a receiver does, by the text of Standard Webhooks. The signature header has signatures that spaces
 * separate, each with its version. One signature must be the HMAC of id, timestamp and body with the bytes of the secret, and
 * the timestamp must be at most five minutes from now.
 */
export function isSignedWith(secret: string, { headers, body }: ReceivedWebhook): boolean {
  const [prefix, key] = secret.split("_", 2);
  if (prefix !== "whsec" || key === undefined) return false;
  const [id, timestamp] = [String(headers["webhook-id"]), String(headers["webhook-timestamp"])];
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > 300) return false;
  const expected = createHmac("sha256", Buffer.from(key, "base64")).update(`${id}.${timestamp}.`).update(body).digest();
  return String(headers["webhook-signature"])
    .split(" ")
    .map((signature) => signature.split(",", 2))
    .filter(([version]) => version === "v1")
    .map(([, value = ""]) => Buffer.from(value, "base64"))
    .some((value) => value.length === expected.length && timingSafeEqual(value, expected));
}
