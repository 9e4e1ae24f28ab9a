import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import mongoose from "mongoose";

/** A command of MongoDB's wire protocol. */
export type Command = Readonly<Record<string, unknown>>;

/** The collection whose rows the command updates, or inserts by `$merge`; undefined for another command. */
export function writtenCollection({ update, pipeline = [] }: Command): unknown {
  const stages = pipeline as readonly { readonly $merge?: { readonly into: string } }[];
  return update ?? stages.at(-1)?.$merge?.into;
}

/** A proxy between a client and a mongod on loopback that loses responses, and delays commands or responses. */
export interface MongoProxy {
  readonly port: number;
  /** Loses the responses to this number of matching commands and to the driver's retries of them; mongod applies them. */
  lose(isMeant: (command: Command) => boolean, times: number): void;
  /**
   * Delays the matching commands until the returned function is called. mongod reads them then, even if the client has closed
   * its connection. The function resolves when mongod has responded to them.
   */
  hold(isMeant: (command: Command) => boolean): () => Promise<void>;
  /** Delays the responses to the matching commands, which mongod reads at once, until the returned function is called. */
  holdResponses(isMeant: (command: Command) => boolean): () => Promise<void>;
  /** Number of delayed commands and responses. */
  readonly held: number;
  /** Number of commands whose responses were lost. */
  readonly lost: number;
  stop(): Promise<void>;
}

/** Number of attempts of a write: the driver retries it once. */
const ATTEMPTS = 2;
const HEADER_BYTES = 16;
const OP_MSG = 2013;

/** The commands whose responses are to be lost, and their number that is left. */
interface CommandsToLose {
  readonly isMeant: (command: Command) => boolean;
  left: number;
}

export async function startMongoProxy(mongodPort: number): Promise<MongoProxy> {
  const sockets = new Set<Socket>();
  /** Number of attempts whose response was lost, by session and transaction number, which a retry repeats. */
  const doomed = new Map<string, number>();
  let toLose: CommandsToLose = { isMeant: () => false, left: 0 };
  let lost = 0;
  const noCommand = (_command: Command) => false;
  let isToBeHeld = noCommand;
  let isResponseToBeHeld = noCommand;
  const held: (() => Promise<void>)[] = [];

  /** Whether to lose the response to this request. */
  function isDoomed(message: Buffer): boolean {
    const command = commandIn(message);
    if (command === undefined) return false;
    const key = `${mongoose.mongo.BSON.EJSON.stringify(command["lsid"])} ${String(command["txnNumber"])}`;
    const attempts = doomed.get(key) ?? (toLose.left > 0 && toLose.isMeant(command) ? 0 : undefined);
    if (attempts === undefined) return false;
    if (attempts === 0) {
      toLose.left -= 1;
      lost += 1;
    }
    if (attempts + 1 < ATTEMPTS) doomed.set(key, attempts + 1);
    else doomed.delete(key);
    return true;
  }

  function join(client: Socket): void {
    const mongod = connect(mongodPort, "127.0.0.1");
    const doomedRequests = new Set<number>();
    const requestsWithDelayedResponses = new Set<number>();
    let heldCommands = 0;
    const releasedCommands = new Map<number, () => void>();
    /** Closes both connections; that to mongod stays open while a command is held for it. */
    const disconnect = () => {
      client.destroy();
      if (heldCommands === 0) mongod.destroy();
    };
    for (const socket of [client, mongod]) {
      sockets.add(socket);
      socket
        .on("error", disconnect)
        .on("close", disconnect)
        .on("close", () => sockets.delete(socket));
    }
    const holdCommand = (message: Buffer) => {
      heldCommands += 1;
      held.push(() => {
        heldCommands -= 1;
        const { promise, resolve } = Promise.withResolvers<void>();
        releasedCommands.set(message.readInt32LE(4), resolve);
        mongod.write(message);
        return promise;
      });
    };
    mongod.on("close", () => {
      for (const resolve of releasedCommands.values()) resolve();
    });
    client.on(
      "data",
      eachMessage((message) => {
        if (isDoomed(message)) doomedRequests.add(message.readInt32LE(4));
        const command = commandIn(message);
        if (command !== undefined && isResponseToBeHeld(command))
          requestsWithDelayedResponses.add(message.readInt32LE(4));
        if (command !== undefined && isToBeHeld(command)) holdCommand(message);
        else mongod.write(message);
      }),
    );
    mongod.on(
      "data",
      eachMessage((message) => {
        const requestId = message.readInt32LE(8);
        releasedCommands.get(requestId)?.();
        releasedCommands.delete(requestId);
        if (doomedRequests.has(requestId)) disconnect();
        else if (requestsWithDelayedResponses.delete(requestId)) held.push(async () => void client.write(message));
        else client.write(message);
      }),
    );
  }

  async function release(): Promise<void> {
    isToBeHeld = noCommand;
    isResponseToBeHeld = noCommand;
    await Promise.all(held.splice(0).map((each) => each()));
  }

  const server = createServer(join);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    lose: (isMeant, times) => void (toLose = { isMeant, left: times }),
    hold(isMeant) {
      isToBeHeld = isMeant;
      return release;
    },
    holdResponses(isMeant) {
      isResponseToBeHeld = isMeant;
      return release;
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

/** Splits a stream into messages, each of which begins with its length. */
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

/**
 * The command of a message; undefined if it has none. Reads the sections after header and flags: kind 0 is the command,
 * kind 1 a list that belongs to the command.
 */
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

/** The document at an offset, and the offset of its end. */
function documentAt(message: Buffer, at: number): [Command, number] {
  const end = at + message.readInt32LE(at);
  return [mongoose.mongo.BSON.deserialize(message.subarray(at, end)), end];
}
