import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Counts of the requests that the webhook's receiver got. */
export interface Received {
  readonly requests: number;
  /** Number of ids that were received more than once. */
  readonly repeated: number;
  /** Requests of the type `announcement.edit`. */
  readonly edits: number;
  /** Requests of the type `announcement.delete`. */
  readonly deletions: number;
}

/** A receiver of the sink `webhook`. The process first sends its port to its parent, then `Received` for each message from it. */
const ids = new Map<string, number>();
const types = { "announcement.edit": 0, "announcement.delete": 0 };

const server = createServer((request, response) => {
  const id = String(request.headers["webhook-id"]);
  ids.set(id, (ids.get(id) ?? 0) + 1);
  request.once("data", (chunk: Buffer) => count(chunk));
  request.resume().once("end", () => response.writeHead(204).end());
}).listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));

/** The type is the first member of a body. */
function count(chunk: Buffer): void {
  const begin = chunk.toString("latin1", 0, 50);
  for (const type of Object.keys(types) as (keyof typeof types)[]) if (begin.includes(type)) types[type] += 1;
}

process.on("message", () => {
  const times = [...ids.values()];
  const received: Received = {
    requests: times.reduce((sum, each) => sum + each, 0),
    repeated: times.filter((each) => each > 1).length,
    edits: types["announcement.edit"],
    deletions: types["announcement.delete"],
  };
  process.send?.(received);
});
process.on("disconnect", () => process.exit());
