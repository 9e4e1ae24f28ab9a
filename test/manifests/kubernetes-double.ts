import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** A stored secret, whose `data` is always in base64. */
export interface StoredObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string; readonly annotations?: object };
  readonly data: Readonly<Record<string, string>>;
}

type Given = Partial<StoredObject> & { readonly stringData?: Readonly<Record<string, string>> };

const RESOURCES = {
  kind: "APIResourceList",
  groupVersion: "v1",
  resources: [
    { name: "secrets", singularName: "secret", namespaced: true, kind: "Secret", verbs: ["create", "update"] },
  ],
};

/**
 * The part of a Kubernetes API server that `kubectl create` and `kubectl replace` need for secrets. An existing secret is not
 * created again (409 AlreadyExists), and one that changed since it was read is not replaced (409 Conflict).
 */
export class KubernetesDouble {
  readonly secrets = new Map<string, StoredObject>();
  readonly #server: Server;
  #changes = 0;

  constructor() {
    this.#server = createServer((request, response) => void this.#respond(request, response));
  }

  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [status, body] = await this.#result(request);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  async #result(request: IncomingMessage): Promise<[status: number, body: object]> {
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    if (pathname === "/api") return [200, { kind: "APIVersions", versions: ["v1"] }];
    if (pathname === "/apis") return [200, { kind: "APIGroupList", apiVersion: "v1", groups: [] }];
    if (pathname === "/api/v1") return [200, RESOURCES];
    const name = /^\/api\/v1\/namespaces\/trial\/secrets(?:\/(.+))?$/.exec(pathname)?.[1];
    if (request.method === "GET") {
      const stored = this.secrets.get(name ?? "");
      return stored === undefined ? failure(404, "NotFound", name) : [200, stored];
    }
    const given = (await json(request)) as Given;
    if (request.method === "POST") return this.#create(given);
    return request.method === "PUT" ? this.#replace(name ?? "", given) : failure(405, "MethodNotAllowed", name);
  }

  #create(given: Given): [number, object] {
    const name = given.metadata?.name ?? "";
    return this.secrets.has(name) ? failure(409, "AlreadyExists", name) : [201, this.#store(name, given)];
  }

  #replace(name: string, given: Given): [number, object] {
    const version = this.secrets.get(name)?.metadata.resourceVersion;
    if (version !== given.metadata?.resourceVersion) return failure(409, "Conflict", name);
    return [200, this.#store(name, given)];
  }

  #store(name: string, { metadata, data = {}, stringData = {}, ...rest }: Given): StoredObject {
    this.#changes += 1;
    const texts = Object.entries(stringData).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
    const stored = {
      ...rest,
      metadata: { ...metadata, name, namespace: "trial", resourceVersion: String(this.#changes) },
      data: { ...data, ...(Object.fromEntries(texts) as Record<string, string>) },
    };
    this.secrets.set(name, stored);
    return stored;
  }
}

function failure(code: number, reason: string, name = ""): [number, object] {
  const message = `secrets "${name}": ${reason}`;
  return [code, { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message, details: { name } }];
}
