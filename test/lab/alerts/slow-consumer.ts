import { once } from "node:events";
import { createConnection } from "node:net";
import { connect } from "nats";
import { until } from "../../harness/until.ts";

const SUBJECT = "lab.unread";
/** Below `max_payload` (640 KiB). */
const MESSAGE_BYTES = 512 * 1024;
/** Together more than a server keeps for one client (64 MiB) and the buffers of the connection. */
const MESSAGES = 250;

/** Sends messages to a client that does not read them, until its NATS server closes its connection. */
export async function startSlowConsumer(natsUrl: string): Promise<void> {
  const [server = ""] = natsUrl.split(",");
  const { hostname, port } = new URL(server);
  const slow = createConnection({ host: hostname, port: Number(port) });
  const isClosed = once(slow, "close");
  slow.on("error", () => undefined);
  await once(slow, "connect");
  slow.write(`CONNECT {"verbose":false,"pedantic":false}\r\nSUB ${SUBJECT} 1\r\nPING\r\n`);
  let received = "";
  slow.on("data", (bytes: Buffer) => (received += bytes.toString()));
  await until(() => received.includes("PONG"), "the NATS server knows the subscription");
  slow.pause();
  slow.removeAllListeners("data");
  const publisher = await connect({ servers: server });
  const payload = new Uint8Array(MESSAGE_BYTES);
  for (let sent = 0; sent < MESSAGES; sent += 1) publisher.publish(SUBJECT, payload);
  await publisher.flush();
  await publisher.close();
  // A paused socket does not notice the end.
  slow.resume();
  await isClosed;
}
