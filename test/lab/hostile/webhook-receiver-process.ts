import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** How an endpoint of webhooks responds; the first part of its path. `slow`: after nine seconds. */
export type Behaviour = "hang" | "slow" | "refuse" | "accept";

/** Just below the timeout of a delivery. */
const SLOW_MS = 9_000;

/** The number of requests to each path. */
const requests: Record<string, number> = {};

/**
 * Endpoints of webhooks that respond by their path. The process sends its port to its parent, and the numbers of requests in
 * response to a message.
 */
const server = createServer((request, response) => {
  const path = request.url ?? "";
  const behaviour = path.split("/")[1] as Behaviour;
  requests[path] = (requests[path] ?? 0) + 1;
  request.resume().once("end", () => {
    if (behaviour === "refuse") response.writeHead(500).end();
    if (behaviour === "accept") response.writeHead(204).end();
    if (behaviour === "slow") setTimeout(() => response.writeHead(204).end(), SLOW_MS);
  });
}).listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));

process.on("message", () => process.send?.(requests));
process.on("disconnect", () => process.exit());
