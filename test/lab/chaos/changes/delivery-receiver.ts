import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { ChangeKind } from "../../../../services/contracts/guild-changes.contract.ts";
import { isSignedWith } from "../../../harness/webhook-receiver.ts";
import type { SeenDelivery } from "./changes-verdict.ts";

/** The receiver of all webhooks. It keeps a digest of each body, since the bodies are hundreds of megabytes. */
export interface DeliveryReceiver {
  /** The address of a webhook, by any name. */
  urlOf(name: string): string;
  /** Sets the secret with which requests of a webhook must be signed. */
  expect(name: string, secret: string): void;
  /** The requests of a webhook, in the order of their arrival. */
  seen(name: string): readonly SeenDelivery[];
  close(): Promise<void>;
}

interface Body {
  readonly type: string;
  readonly data: { readonly id: string; readonly revision: number };
}

/** One request in so many gets a 500. */
const REFUSED_OF = 200;
const KINDS: Readonly<Record<string, ChangeKind>> = { settings: "settings", calendar: "calendar", event: "event" };

export async function startDeliveryReceiver(): Promise<DeliveryReceiver> {
  const secrets = new Map<string, string>();
  const seen = new Map<string, SeenDelivery[]>();
  const server = createServer((request, response) => {
    void (async () => {
      const name = (request.url ?? "").slice(1);
      const body = await text(request);
      const { headers } = request;
      const status = Math.random() * REFUSED_OF < 1 ? 500 : 200;
      const { type, data } = JSON.parse(body) as Body;
      const all = seen.get(name) ?? [];
      seen.set(name, all);
      all.push({
        deliveryId: String(headers["webhook-id"]),
        kind: KINDS[type.slice(0, type.indexOf("."))] ?? "post",
        id: data.id,
        revision: data.revision,
        type,
        bodyDigest: createHash("sha1").update(body).digest("base64"),
        isSigned: isSignedWith(secrets.get(name) ?? "", { headers, body }),
        status,
        at: performance.now(),
      });
      response.writeHead(status).end();
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    urlOf: (name) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`,
    expect: (name, secret) => void secrets.set(name, secret),
    seen: (name) => seen.get(name) ?? [],
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
