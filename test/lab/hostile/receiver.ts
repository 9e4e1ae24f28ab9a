import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { startProcess } from "./load-process.ts";
import type { Received } from "./receiver-process.ts";
import type { Target } from "./row.ts";
import { startTarget } from "./stage.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** A receiver of the sink `webhook`, in a process of its own. */
export interface Receiver {
  /** Resolves to the counts of the requests until now. */
  received(): Promise<Received>;
}

/**
 * Starts the service with a receiver that accepts everything, and that ends with the service. The sink `log` would make the service
 * wait for this process, which reads the log at a low priority.
 */
export async function startWithReceiver(
  env: Readonly<Record<string, string>>,
): Promise<{ readonly target: Target; readonly receiver: Receiver }> {
  const child: ChildProcess = startProcess("receiver-process.ts");
  const [port] = (await once(child, "message")) as [number];
  const sink = { SINKS: "webhook", WEBHOOK_URL: `http://127.0.0.1:${port}/`, WEBHOOK_ALLOW_PRIVATE: "yes" };
  const target = await startTarget({ ...env, ...sink, WEBHOOK_SECRET: SECRET });
  const receiver: Receiver = {
    async received() {
      child.send("received");
      return ((await once(child, "message")) as [Received])[0];
    },
  };
  const stop = async () => {
    await target.stop();
    child.disconnect();
  };
  return { target: { ...target, stop }, receiver };
}
