import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request as ask, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { ManifestTiming } from "./manifest-timing.ts";

/** A gateway behind the balancer. */
export interface Backend {
  readonly port: number;
  isReady(): Promise<boolean>;
}

/** What a Service and its Ingress are together: one address, and the gateways that are ready behind it. */
export interface Balancer {
  readonly url: string;
  /** Takes a gateway in, which is ready; from then on its readiness probe decides. */
  add(backend: Backend): void;
  /** Sends it nothing more; what it has been sent is waited for. */
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

/** Answered in place of a gateway that was lost with the request in its hands, and where there is none to ask. */
const CUT_OFF = 502;
const NOBODY = 503;

/**
 * A reverse proxy on loopback. It sends no request a second time: only where no connection came about, so that
 * nothing was sent, is the next gateway chosen.
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

  /** Those that may be asked, beginning with the one whose turn it is. */
  function inTurn(): Member[] {
    const ready = [...members.values()].filter(({ failures }) => failures < readinessFailures);
    turn += 1;
    return ready.map((_, at) => ready[(at + turn) % ready.length] as Member);
  }

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    for (const member of inTurn()) {
      const outcome = await passTo(member, request, body);
      if (outcome === "not reached") continue;
      if (outcome === "cut off") return refuse(response, CUT_OFF);
      response.writeHead(outcome.answer.statusCode ?? CUT_OFF, passedOn(outcome.answer.headers)).end(outcome.body);
      return undefined;
    }
    return refuse(response, NOBODY);
  }

  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
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

interface Passed {
  readonly answer: IncomingMessage;
  readonly body: Buffer;
}

async function passTo(
  { backend: { port }, agent }: Member,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<Passed | "not reached" | "cut off"> {
  const onward = ask({ host: "127.0.0.1", port, agent, method, path: url, headers: passedOn(headers) });
  onward.end(body);
  try {
    const [answer] = (await once(onward, "response")) as [IncomingMessage];
    return { answer, body: await buffer(answer) };
  } catch (error) {
    return (error as NodeJS.ErrnoException).syscall === "connect" ? "not reached" : "cut off";
  }
}

/** A connection's own headers end with it. */
function passedOn({
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
