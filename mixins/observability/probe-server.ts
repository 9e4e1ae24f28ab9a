import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ProbeServerOptions {
  /** 0 chooses a free port. */
  readonly port: number;
  readonly host: string;
  /** The names of the parts that the process needs and lacks now, for an operator; empty if the process is ready. */
  readonly missing: () => Promise<readonly string[]>;
  /** Further fields of the response of a ready process. */
  readonly details: () => Readonly<Record<string, string>>;
  readonly metrics: () => Promise<string>;
  readonly metricsType: string;
}

export interface ProbeServer {
  /** The port on which the server listens. */
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts the HTTP server for an orchestrator: liveness, readiness and metrics of one process. The gateway also serves
 * liveness and readiness on the port of its API (services/api/pages/health.pages.ts).
 */
export async function startProbeServer(options: ProbeServerOptions): Promise<ProbeServer> {
  const server = createServer({ requestTimeout: 5_000 }, (request, response) => {
    respond(request.url ?? "", options, response).catch(() => response.destroy());
  });
  server.listen(options.port, options.host);
  // The port is known only when the server listens. `once` also rejects if the port is in use.
  await once(server, "listening");
  // The listening socket must not keep the process from ending. `close` ends the open connections.
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

async function respond(path: string, options: ProbeServerOptions, response: ServerResponse): Promise<void> {
  switch (path) {
    case "/health/live":
      return send(response, 200, { status: "live" });
    case "/health/ready": {
      const missing = await options.missing();
      const isReady = missing.length === 0;
      return send(
        response,
        isReady ? 200 : 503,
        isReady ? { status: "ready", ...options.details() } : { status: "not ready", missing },
      );
    }
    case "/metrics": {
      const text = await options.metrics();
      response.writeHead(200, { "content-type": options.metricsType }).end(text);
      return undefined;
    }
    default:
      return send(response, 404, { message: "No such path" });
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(body));
}
