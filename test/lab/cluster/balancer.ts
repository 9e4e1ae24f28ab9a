import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { ManifestTiming } from "./manifest-timing.ts";

/** A gateway behind the balancer. */
export interface Backend {
  readonly port: number;
  isReady(): Promise<boolean>;
}

/** Takes the place of a Service and its Ingress: one address in front of the ready gateways. */
export interface Balancer {
  readonly url: string;
  /** Adds a ready gateway. Afterwards its readiness probe decides whether it gets requests. */
  add(backend: Backend): void;
  /** Sends the gateway no further requests. Requests in flight are completed. */
  remove(backend: Backend): void;
  stop(): Promise<void>;
}

interface Member {
  readonly backend: Backend;
  /** Keeps connections open between requests, as an Ingress does. */
  readonly agent: Agent;
  failures: number;
  readonly probing: NodeJS.Timeout;
}

/** Status if the gateway crashed during the request, and status if no gateway is ready. */
const CONNECTION_LOST = 502;
const NO_GATEWAY = 503;

/**
 * A reverse proxy on loopback. It sends a request to the next gateway only if the connection to the first one failed, so
 * that nothing was sent.
 */
export async function startBalancer({
  readinessEveryMs,
  readinessFailures,
}: Pick<ManifestTiming, "readinessEveryMs" | "readinessFailures">): Promise<Balancer> {
  const members = new Map<Backend, Member>();
  let turn = 0;

  async function probe(member: Member): Promise<void> {
    const isReady = await member.backend.isReady();
    member.failures = isReady ? 0 : member.failures + 1;
  }

  function remove(backend: Backend): void {
    clearInterval(members.get(backend)?.probing);
    members.delete(backend);
  }

  /** The ready gateways, in round-robin order. */
  function roundRobin(): Member[] {
    const ready = [...members.values()].filter(({ failures }) => failures < readinessFailures);
    turn += 1;
    return ready.map((_, at) => ready[(at + turn) % ready.length] as Member);
  }

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    for (const member of roundRobin()) {
      const outcome = await forwardTo(member, request, body);
      if (outcome === "not reached") continue;
      if (outcome === "connection lost") return refuse(response, CONNECTION_LOST);
      response
        .writeHead(outcome.reply.statusCode ?? CONNECTION_LOST, forwardedHeaders(outcome.reply.headers))
        .end(outcome.body);
      return undefined;
    }
    return refuse(response, NO_GATEWAY);
  }

  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add(backend) {
      const agent = new Agent({ keepAlive: true });
      const probing = setInterval(() => void probe(member), readinessEveryMs);
      const member: Member = { backend, agent, failures: 0, probing };
      members.set(backend, member);
    },
    remove,
    async stop() {
      for (const backend of members.keys()) remove(backend);
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

interface Forwarded {
  readonly reply: IncomingMessage;
  readonly body: Buffer;
}

async function forwardTo(
  { backend: { port }, agent }: Member,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<Forwarded | "not reached" | "connection lost"> {
  const onward = httpRequest({ host: "127.0.0.1", port, agent, method, path: url, headers: forwardedHeaders(headers) });
  onward.end(body);
  try {
    const [reply] = (await once(onward, "response")) as [IncomingMessage];
    return { reply, body: await buffer(reply) };
  } catch (error) {
    return (error as NodeJS.ErrnoException).syscall === "connect" ? "not reached" : "connection lost";
  }
}

/** All headers except those that belong to one connection. */
function forwardedHeaders({
  connection: _,
  "keep-alive": __,
  ...headers
}: IncomingMessage["headers"]): IncomingMessage["headers"] {
  return headers;
}

function refuse(response: ServerResponse, status: number): void {
  response
    .writeHead(status, { "content-type": "application/json" })
    .end(JSON.stringify({ code: `BALANCER_${status}` }));
}
