import { once } from "node:events";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import mongoose from "mongoose";
import { basicEnvironment } from "../../services/launch/embedded/basic-environment.ts";
import { spawnWithWatcher } from "../../services/launch/embedded/child-server.ts";
import { accepts } from "./accepts.ts";
import { until } from "./until.ts";

export const SET_NAME = "guildcal";

/** A member's response to the command `hello`. */
export interface Hello {
  readonly isWritablePrimary: boolean;
  readonly secondary: boolean;
}

/** One mongod of a replica set. It can be killed and started again on the same port and data. */
export interface MongoMember {
  readonly host: string;
  /** The member's state; undefined without a response. */
  hello(): Promise<Hello | undefined>;
  command(command: mongoose.mongo.Document): Promise<mongoose.mongo.Document>;
  /** Starts the member, and waits until it responds. */
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Sends SIGTERM, and waits until the process has ended. */
  terminate(): Promise<void>;
  /** Ends the member permanently, with SIGKILL. */
  stop(): Promise<void>;
}

const RESPONSE_TIMEOUT_MS = 3_000;
const HEARTBEAT_INTERVAL_MS = 500;
const START_TIMEOUT_MS = 60_000;

/**
 * A member that is not started yet; a standalone mongod if the name of the set is empty.
 *
 * @param also - Further arguments of mongod.
 */
export function newMongoMember(
  binary: string,
  port: number,
  directory: string,
  set = SET_NAME,
  also: readonly string[] = [],
  clientOptions: mongoose.mongo.MongoClientOptions = {},
): MongoMember {
  const dbPath = join(directory, `member-${port}`);
  const host = `127.0.0.1:${port}`;
  const client = new mongoose.mongo.MongoClient(`mongodb://${host}/?directConnection=true`, {
    serverSelectionTimeoutMS: RESPONSE_TIMEOUT_MS,
    heartbeatFrequencyMS: HEARTBEAT_INTERVAL_MS,
    ...clientOptions,
  });
  let running: Running | undefined;

  const command = (document: mongoose.mongo.Document) => client.db("admin").command(document);
  const hello = () =>
    command({ hello: 1, maxTimeMS: RESPONSE_TIMEOUT_MS }).then(
      (response) => response as unknown as Hello,
      () => undefined,
    );

  return {
    host,
    hello,
    command,
    kill: async () => running?.kill(),
    terminate: async () => running?.terminate(),
    async start() {
      await running?.kill();
      await mkdir(dbPath, { recursive: true });
      const started = startProcess(binary, [
        ...argumentsOf(port, set),
        ...also,
        "--dbpath",
        dbPath,
        "--logpath",
        `${dbPath}.log`,
      ]);
      running = started;
      // A client whose first command finds no server is closed, and never finds one.
      const isUp = async () => started.hasEnded() || ((await accepts(port)) && (await hello()) !== undefined);
      await until(isUp, `a mongod that responds on ${host}`, START_TIMEOUT_MS);
      if (started.hasEnded()) throw new Error(`mongod does not start: ${await endOfLog(`${dbPath}.log`)}`);
    },
    async stop() {
      await client.close();
      await running?.kill();
    },
  };
}

function argumentsOf(port: number, set: string): string[] {
  const small = ["--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "64"];
  const ofSet = set === "" ? [] : ["--replSet", set];
  return [...ofSet, "--bind_ip", "127.0.0.1", "--port", String(port), "--logappend", ...small];
}

export interface Running {
  hasEnded(): boolean;
  kill(): Promise<void>;
  /** Sends SIGTERM, and waits until the process has ended. */
  terminate(): Promise<void>;
}

/** Starts a server that ends with this process. */
export function startProcess(binary: string, args: readonly string[]): Running {
  const child = spawnWithWatcher(binary, args, basicEnvironment());
  const gone = once(child, "exit");
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const end = async (signal: NodeJS.Signals) => {
    if (!hasEnded()) child.kill(signal);
    await gone;
  };
  return { hasEnded, kill: () => end("SIGKILL"), terminate: () => end("SIGTERM") };
}

async function endOfLog(log: string): Promise<string> {
  const lines = await readFile(log, "utf8").catch(() => "it has no log");
  return lines.trim().split("\n").slice(-5).join("\n");
}
