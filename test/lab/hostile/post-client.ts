import { Agent, request } from "node:http";

export interface Target {
  readonly port: number;
  readonly key: string;
}

/** The response to a request; status 0 without a response. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

export type Post = (path: string, key: string, body: string) => Promise<Reply>;

/** Sends POST requests on at most `connections` keep-alive connections, or each request on a new connection. */
export function postClient(
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
      const sent = request({ agent, port, host: "127.0.0.1", method: "POST", path, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.once("end", () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
        response.once("error", () => resolve({ status: 0, text: "" }));
      });
      sent.once("error", (error) => resolve({ status: 0, text: error.message }));
      sent.end(body);
    });
  return { post, end: () => agent.destroy() };
}
