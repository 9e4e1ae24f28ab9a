import { createServer } from "node:net";
import mongoose from "mongoose";
import { connect, ErrorCode, type NatsError } from "nats";
import { connectionOptions } from "../../../mixins/bus/nats-transporter.ts";
import { StartupError } from "./startup-error.ts";

const TIMEOUT_MS = 5_000;

/** Rejects with a StartupError if the port cannot be opened. Called before any server is started. */
export function checkPort(port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(new StartupError(listenProblem(error, port, host)));
    });
    server.listen(port, host, () => server.close(() => resolve()));
  });
}

function listenProblem(error: NodeJS.ErrnoException, port: number, host: string): string {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} is in use on ${host}: stop the program that listens there, or set PORT to another port`,
    EACCES: `Port ${port} needs root permissions: set PORT to a port above 1023`,
    EADDRNOTAVAIL: `HOST ${host} is not an address of this machine`,
    ENOTFOUND: `HOST ${host} is not an address of this machine`,
  };
  return reasons[error.code ?? ""] ?? `Can't listen on ${host}:${port} (${error.code ?? error.message})`;
}

/** Rejects if MongoDB does not respond or is a standalone server: transactions need a replica set, or a mongos. */
export async function checkMongo(mongoUrl: string): Promise<void> {
  const connection = mongoose.createConnection();
  try {
    await connection.openUri(mongoUrl, { serverSelectionTimeoutMS: TIMEOUT_MS, autoIndex: false, autoCreate: false });
    const hello = await connection.db?.command({ hello: 1 });
    if (hello?.["setName"] === undefined && hello?.["msg"] !== "isdbgrid") {
      throw new StartupError(
        `The MongoDB at ${hostsOf(mongoUrl)} must be a replica set (one member is enough) or a mongos`,
      );
    }
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`MongoDB is unreachable at ${hostsOf(mongoUrl)}: ${mongoProblem(error)}`);
  } finally {
    await connection.close();
  }
}

/** The last error of each server, as the driver reports it. */
interface TopologyDescription {
  readonly servers?: ReadonlyMap<string, { readonly error: Error | null }>;
}

function mongoProblem(error: unknown): string {
  const { name, message, reason } = error as Error & { readonly reason?: TopologyDescription };
  if (name === "MongooseServerSelectionError" || name === "MongoServerSelectionError") {
    const problem = [...(reason?.servers?.values() ?? [])].find((server) => server.error)?.error?.message;
    return ["no response in 5 seconds", problem].filter(Boolean).join(": ");
  }
  return message.split("\n", 1)[0] ?? name;
}

/** The hosts of a URL, without user and password. */
function hostsOf(url: string): string {
  return (
    url
      .replace(/^[a-z+]+:\/\//, "")
      .replace(/^[^/]*@/, "")
      .split(/[/?]/, 1)[0] ?? ""
  );
}

/** Rejects with the reason if no NATS server accepts a connection: none listens, or TLS or the user is refused. */
export async function checkNats(natsUrl: string): Promise<void> {
  const { servers = [], ...options } = connectionOptions({ url: natsUrl, name: "start" });
  const once = { ...options, waitOnFirstConnect: false, reconnect: false, timeout: TIMEOUT_MS } as const;
  const connections = await Promise.allSettled([servers].flat().map((server) => connect({ ...once, servers: server })));
  const opened = connections.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  await Promise.all(opened.map((connection) => connection.close()));
  if (opened.length > 0) return;
  const [first] = connections as PromiseRejectedResult[];
  throw new StartupError(`NATS is unreachable at ${[servers].flat().join(", ")}: ${natsProblem(first?.reason)}`);
}

function natsProblem(error: unknown): string {
  const { code, message, chainedError } = error as NatsError;
  const texts: Readonly<Record<string, string>> = {
    [ErrorCode.ConnectionRefused]: "no server listens",
    [ErrorCode.ServerOptionNotAvailable]: "the server has no TLS",
  };
  return texts[code] ?? chainedError?.message ?? message;
}
