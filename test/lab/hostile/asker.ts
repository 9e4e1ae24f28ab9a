import { Agent, request } from "node:http";

export interface Target {
  readonly port: number;
  readonly key: string;
}

/** What one request was answered; 0 for no answer at all. */
export interface Answered {
  readonly status: number;
  readonly text: string;
}

export type Post = (path: string, key: string, body: string) => Promise<Answered>;

/** Posts a body on kept connections, as many at once as `connections`; or on a new connection each. */
export function asker(
  port: number,
  connections: number,
  keepAlive = true,
): { readonly post: Post; readonly end: () => void } {
  const agent = new Agent({ keepAlive, maxSockets: connections });
  const post: Post = (path, key, body) =>
    new Promise((resolve) => {
      const headers = {
        authorization: key,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      };
      const sent = request({ agent, port, host: "127.0.0.1", method: "POST", path, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.once("end", () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
        answer.once("error", () => resolve({ status: 0, text: "" }));
      });
      sent.once("error", (error) => resolve({ status: 0, text: error.message }));
      sent.end(body);
    });
  return { post, end: () => agent.destroy() };
}
