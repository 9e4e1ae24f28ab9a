import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Counts of the messages that the webhook's receiver got. */
export interface Received {
  readonly requests: number;
  /** Number of ids that were received more than once. */
  readonly repeated: number;
}

/** A receiver of the sink `webhook`. The process first sends its port to its parent, then `Received` for each message from it. */
const ids = new Map<string, number>();

const server = createServer((request, response) => {
  const id = String(request.headers["webhook-id"]);
  ids.set(id, (ids.get(id) ?? 0) + 1);
  request.resume().once("end", () => response.writeHead(204).end());
}).listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));

process.on("message", () => {
  const times = [...ids.values()];
  const received: Received = {
    requests: times.reduce((sum, each) => sum + each, 0),
    repeated: times.filter((each) => each > 1).length,
  };
  process.send?.(received);
});
process.on("disconnect", () => process.exit());
