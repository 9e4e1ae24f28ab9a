import { type HttpClient, httpClient } from "../../mixins/http/http-client.ts";
import { headerNumber, retryAfterMs } from "../../mixins/http/retry-after.ts";
import { signatureHeaders } from "../../mixins/http/signature.ts";
import type { PrivateNetworks } from "../../mixins/http/private-networks.ts";
import { guardedLookup, isAllowedLiteral, type ResolveAll, TARGET_REFUSED } from "../../mixins/http/target-guard.ts";
import { VERSION } from "../contracts/version.ts";
import type { OutgoingRequest, SendResult } from "./protocol/ports.ts";

/** Time for the name, the connection, the request and the response together. */
const TIMEOUT_MS = 10_000;
/** Only the status and the headers of a response are used. */
const MAX_RESPONSE_BYTES = 4 * 1024;
/** There are many receivers, and a connection to each would stay open. */
const IDLE_MS = 5_000;

export interface RequestSender {
  send(request: OutgoingRequest): Promise<SendResult>;
  close(): void;
}

interface SenderOptions {
  /** The private, loopback and link-local addresses that are allowed. */
  readonly allowPrivate: PrivateNetworks;
  /** Unix milliseconds. A receiver refuses signatures of another time. */
  readonly wallClock?: () => number;
  /** Replaces the system's resolver. */
  readonly resolve?: ResolveAll;
}

/** Sends signed requests to the addresses that users choose. The addresses are checked for every connection. */
export function requestSender({ allowPrivate, wallClock = () => Date.now(), resolve }: SenderOptions): RequestSender {
  const clientFor = (protocol: string) =>
    httpClient({
      maxBodyBytes: MAX_RESPONSE_BYTES,
      idleMs: IDLE_MS,
      lookup: guardedLookup(protocol, allowPrivate, resolve),
    });
  const clients: Readonly<Record<string, HttpClient>> = { "https:": clientFor("https:"), "http:": clientFor("http:") };
  return {
    async send({ url, id, body, secrets }) {
      const target = new URL(url);
      const client = clients[target.protocol];
      if (client === undefined || !isAllowedLiteral(target, allowPrivate)) return { error: TARGET_REFUSED };
      const headers = {
        ...signed(id, Math.floor(wallClock() / 1_000), body, secrets),
        "content-type": "application/json",
        "user-agent": `guildcal-webhooks/${VERSION}`,
      };
      const result = await client.exchange({ method: "POST", url: target, headers, body, timeoutMs: TIMEOUT_MS });
      if (result.kind === "noResponse") return { error: result.reason };
      const { status, headers: received } = result;
      if (status >= 200 && status < 300) return { status };
      return {
        status,
        error: `HTTP ${status}`,
        retryAfterMs: retryAfterMs(headerNumber(received, "retry-after") ?? 0),
      };
    },
    close() {
      for (const client of Object.values(clients)) client.close();
    },
  };
}

/** The headers of Standard Webhooks with a signature by each secret, separated by spaces. */
function signed(id: string, atSeconds: number, body: string, secrets: readonly string[]): Record<string, string> {
  const each = secrets.map((secret) => signatureHeaders(id, atSeconds, body, secret));
  const signature = each.map((headers) => headers["webhook-signature"]).join(" ");
  return { ...each[0], "webhook-signature": signature };
}
