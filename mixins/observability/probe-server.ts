import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ProbeServerOptions {
  /** 0 chooses a free port. */
  readonly port: number;
  readonly host: string;
  /** The parts that the process lacks to do its work, in words for an operator. */
  readonly missing: () => Promise<readonly string[]>;
  /** Further fields of the answer of a ready process. */
  readonly details: () => Readonly<Record<string, string>>;
  readonly metrics: () => Promise<string>;
  readonly metricsType: string;
}

export interface ProbeServer {
  /** The port on which it listens. */
  readonly port: number;
  close(): Promise<void>;
}

/** Starts the HTTP server for an orchestrator: liveness, readiness and metrics. */
export async function startProbeServer(parts: ProbeServerOptions): Promise<ProbeServer> {
  const server = createServer({ requestTimeout: 5_000 }, (request, response) => {
    answer(request.url ?? "", parts, response).catch(() => response.destroy());
  });
  server.listen(parts.port, parts.host);
  await once(server, "listening");
  // A connection of a probe must not keep the process from ending.
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(path: string, parts: ProbeServerOptions, response: ServerResponse): Promise<void> {
  switch (path) {
    case "/health/live":
      return send(response, 200, { status: "live" });
    case "/health/ready": {
      const missing = await parts.missing();
      const isReady = missing.length === 0;
      return send(
        response,
        isReady ? 200 : 503,
        isReady ? { status: "ready", ...parts.details() } : { status: "not ready", missing },
      );
    }
    case "/metrics": {
      const text = await parts.metrics();
      response.writeHead(200, { "content-type": parts.metricsType }).end(text);
      return undefined;
    }
    default:
      return send(response, 404, { message: "No such path" });
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(body));
}
