import { connect, createServer } from "node:net";
import mongoose from "mongoose";
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

function mongoProblem(error: unknown): string {
  const { name, message } = error as Error;
  if (name === "MongooseServerSelectionError" || name === "MongoServerSelectionError")
    return "no response in 5 seconds";
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

/** Rejects if no NATS server accepts a connection. */
export async function checkNats(natsUrl: string): Promise<void> {
  const servers = natsUrl.split(",").map((url) => new URL(url));
  const reached = await Promise.any(
    servers.map(({ hostname, port }) => tryConnect(hostname, Number(port || 4222))),
  ).catch(() => false);
  if (!reached) throw new StartupError(`NATS is unreachable at ${servers.map(({ host }) => host).join(", ")}`);
}

function tryConnect(host: string, port: number): Promise<true> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS });
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    socket.once("error", fail);
    socket.once("timeout", () => fail(new Error("no response")));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}
