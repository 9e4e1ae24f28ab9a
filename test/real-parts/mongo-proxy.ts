import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import mongoose from "mongoose";

/** A command as MongoDB's wire protocol carries it. */
export type Command = Readonly<Record<string, unknown>>;

/** Stands between a client and a mongod on loopback, loses answers, and holds commands back. */
export interface MongoProxy {
  readonly port: number;
  /** So many of the commands that are meant are applied, and their answers lost, also that of the driver's own retry. */
  lose(isMeant: (command: Command) => boolean, times: number): void;
  /** The commands that are meant are held back until the function that is returned is called: mongod reads them late. */
  hold(isMeant: (command: Command) => boolean): () => void;
  /** How many commands are held back now. */
  readonly held: number;
  /** How many commands have lost their answers so far. */
  readonly lost: number;
  stop(): Promise<void>;
}

/** The driver tries a write twice by itself. */
const TRIES = 2;
const HEADER_BYTES = 16;
const OP_MSG = 2013;

interface Meant {
  readonly isMeant: (command: Command) => boolean;
  left: number;
}

export async function startMongoProxy(mongodPort: number): Promise<MongoProxy> {
  const sockets = new Set<Socket>();
  /** Answers that are still to be lost, by session and transaction number: a retry has the same. */
  const doomed = new Map<string, number>();
  let meant: Meant = { isMeant: () => false, left: 0 };
  let lost = 0;
  let isToBeHeld = (_command: Command) => false;
  const held: (() => void)[] = [];

  /** Whether this request's answer is to be lost. */
  function isDoomed(message: Buffer): boolean {
    const command = commandIn(message);
    if (command === undefined) return false;
    const key = `${mongoose.mongo.BSON.EJSON.stringify(command["lsid"])} ${String(command["txnNumber"])}`;
    const tries = doomed.get(key) ?? (meant.left > 0 && meant.isMeant(command) ? 0 : undefined);
    if (tries === undefined) return false;
    if (tries === 0) {
      meant.left -= 1;
      lost += 1;
    }
    if (tries + 1 < TRIES) doomed.set(key, tries + 1);
    else doomed.delete(key);
    return true;
  }

  function join(client: Socket): void {
    const mongod = connect(mongodPort, "127.0.0.1");
    const doomedRequests = new Set<number>();
    const part = () => {
      client.destroy();
      mongod.destroy();
    };
    for (const socket of [client, mongod]) {
      sockets.add(socket);
      socket
        .on("error", part)
        .on("close", part)
        .on("close", () => sockets.delete(socket));
    }
    client.on(
      "data",
      eachMessage((message) => {
        if (isDoomed(message)) doomedRequests.add(message.readInt32LE(4));
        const command = commandIn(message);
        if (command !== undefined && isToBeHeld(command)) held.push(() => void mongod.write(message));
        else mongod.write(message);
      }),
    );
    mongod.on(
      "data",
      eachMessage((message) => {
        if (doomedRequests.has(message.readInt32LE(8))) part();
        else client.write(message);
      }),
    );
  }

  const server = createServer(join);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    lose: (isMeant, times) => void (meant = { isMeant, left: times }),
    hold(isMeant) {
      isToBeHeld = isMeant;
      return () => {
        isToBeHeld = () => false;
        for (const release of held.splice(0)) release();
      };
    },
    get held() {
      return held.length;
    },
    get lost() {
      return lost;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** Cuts a stream into messages; each begins with its length. */
function eachMessage(take: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= HEADER_BYTES && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      take(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
}

/** After header and flags: a section of kind 0 is the command itself, one of kind 1 is a list that belongs to it. */
function commandIn(message: Buffer): Command | undefined {
  if (message.readInt32LE(12) !== OP_MSG || message[HEADER_BYTES + 4] !== 0) return undefined;
  const lists: Record<string, Command[]> = {};
  const [command, afterCommand] = documentAt(message, HEADER_BYTES + 5);
  for (let at = afterCommand; message[at] === 1;) {
    const end = at + 1 + message.readInt32LE(at + 1);
    const nameEnd = message.indexOf(0, at + 5);
    const list: Command[] = [];
    for (let next = nameEnd + 1; next < end;) {
      const [document, after] = documentAt(message, next);
      list.push(document);
      next = after;
    }
    lists[message.toString("utf8", at + 5, nameEnd)] = list;
    at = end;
  }
  return { ...command, ...lists };
}

/** The document that begins there, and where it ends. */
function documentAt(message: Buffer, at: number): [Command, number] {
  const end = at + message.readInt32LE(at);
  return [mongoose.mongo.BSON.deserialize(message.subarray(at, end)), end];
}
