import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import mongoose from "mongoose";

/** A command as MongoDB's wire protocol carries it. */
export type Command = Readonly<Record<string, unknown>>;

/** Stands between a client and a mongod on loopback, loses answers, and holds commands or answers back. */
export interface MongoProxy {
  readonly port: number;
  /** So many of the commands that are meant are applied, and their answers lost, also that of the driver's own retry. */
  lose(isMeant: (command: Command) => boolean, times: number): void;
  /**
   * The commands that are meant are held back until the function that is returned is called: mongod reads them late, also
   * where the client has given its connection up. The function resolves when mongod has answered them.
   */
  hold(isMeant: (command: Command) => boolean): () => Promise<void>;
  /** The same for the answers to the commands: mongod reads these at once. */
  holdAnswers(isMeant: (command: Command) => boolean): () => Promise<void>;
  /** How many commands and answers are held back now. */
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
  const noCommand = (_command: Command) => false;
  let isToBeHeld = noCommand;
  let isAnswerToBeHeld = noCommand;
  const held: (() => Promise<void>)[] = [];

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
    const requestsWithHeldAnswers = new Set<number>();
    let heldCommands = 0;
    const releasedCommands = new Map<number, () => void>();
    const part = () => {
      client.destroy();
      if (heldCommands === 0) mongod.destroy();
    };
    for (const socket of [client, mongod]) {
      sockets.add(socket);
      socket
        .on("error", part)
        .on("close", part)
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
        if (command !== undefined && isAnswerToBeHeld(command)) requestsWithHeldAnswers.add(message.readInt32LE(4));
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
        if (doomedRequests.has(requestId)) part();
        else if (requestsWithHeldAnswers.delete(requestId)) held.push(async () => void client.write(message));
        else client.write(message);
      }),
    );
  }

  async function release(): Promise<void> {
    isToBeHeld = noCommand;
    isAnswerToBeHeld = noCommand;
    await Promise.all(held.splice(0).map((each) => each()));
  }

  const server = createServer(join);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    lose: (isMeant, times) => void (meant = { isMeant, left: times }),
    hold(isMeant) {
      isToBeHeld = isMeant;
      return release;
    },
    holdAnswers(isMeant) {
      isAnswerToBeHeld = isMeant;
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
