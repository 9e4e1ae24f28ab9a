import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import * as answers from "./chat-server/answers.ts";
import type { Answer } from "./chat-server/answers.ts";
import { type ChatServerLimits, limitKeeper, USUAL_LIMITS } from "./chat-server/limits.ts";
import { type PostedMessage, type RoomOptions, type Rooms, rooms } from "./chat-server/rooms.ts";

/** What goes wrong with one request that creates a message. `accepted`: whether the message is posted all the same. */
type Fault =
  /** Answered with this; the message is not posted. */
  | { readonly kind: "answer"; readonly answer: Answer }
  /** Posted at once, and answered so much later. */
  | { readonly kind: "slow"; readonly ms: number }
  /** Posted so much later, and answered then, if anybody is still there. */
  | { readonly kind: "late"; readonly ms: number }
  /** The connection is reset. */
  | { readonly kind: "reset"; readonly accepted: boolean }
  /** The connection stays open, without an answer. */
  | { readonly kind: "silence"; readonly accepted: boolean }
  /** 200 with something that is not JSON. */
  | { readonly kind: "garbage"; readonly accepted: boolean };

interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Undefined when it was not answered. */
  readonly status: number | undefined;
}

/** A chat service on loopback that takes, limits and refuses posts as Discord documents it. */
export interface ChatServer extends Pick<Rooms, "setChannel" | "setGuild" | "addChannel" | "say" | "remove"> {
  /** Base URL of its API. */
  readonly url: string;
  readonly token: string;
  /** Every request, in the order of receipt. */
  readonly requests: readonly ReceivedRequest[];
  /** What can be seen in the channel, or in all, in the order of receipt. */
  messages(channel?: string): readonly PostedMessage[];
  /** The next `times` requests that create a message meet this fault; faults follow one another as scripted. */
  script(fault: Fault, times?: number): void;
  /** Answers every request that reads a channel, a guild or a member with this; as usual again when undefined. */
  failReads(answer: Answer | undefined): void;
  /** Forgets the faults that are still to come. */
  calm(): void;
  stop(): Promise<void>;
}

export interface ChatServerOptions extends Partial<RoomOptions> {
  readonly token?: string;
  readonly limits?: Partial<ChatServerLimits>;
}

const API = "/api/v10";
const SELF_PATH = `${API}/users/@me`;
const MESSAGES_PATH = new RegExp(`^${API}/channels/(\\d+)/messages$`);
const CHANNEL_PATH = new RegExp(`^${API}/channels/(\\d+)$`);
const GUILD_PATH = new RegExp(`^${API}/guilds/(\\d+)(?:/members/(\\d+))?$`);
const MAX_BODY_CHARACTERS = 1024 * 1024;

/** Starts a server on a free port of loopback. */
export async function startChatServer({
  token = "test-token",
  limits = {},
  nonceWindowMs = 300_000,
  listsNonces = false,
}: ChatServerOptions = {}): Promise<ChatServer> {
  const house = rooms({ nonceWindowMs, listsNonces });
  const keeper = limitKeeper({ ...USUAL_LIMITS, ...limits });
  const requests: ReceivedRequest[] = [];
  let faults: Fault[] = [];
  let failedRead: Answer | undefined;

  /** The answer by the rules alone: what is scripted comes on top. */
  function answerTo({ method, path, headers, body }: ReceivedRequest): Answer {
    const { pathname, searchParams } = new URL(path, "http://chat");
    const channel = MESSAGES_PATH.exec(pathname)?.[1];
    const isCreate = method === "POST";
    if (headers.authorization !== `Bot ${token}`) return answers.UNAUTHORIZED;
    if (!/^DiscordBot \(\S+, \S+\)/.test(headers["user-agent"] ?? "")) return answers.BAD_USER_AGENT;
    if (decodeURIComponent(pathname) === SELF_PATH && method === "GET") return house.self();
    if (channel === undefined) return method === "GET" ? placeAt(pathname) : answers.NOT_FOUND;
    if (!isCreate && method !== "GET") return answers.METHOD_NOT_ALLOWED;
    const admitted = keeper.admit(isCreate ? "create-a1b2c3" : "list-d4e5f6", channel, performance.now());
    if ("refused" in admitted) return admitted.refused;
    const answer = isCreate ? createFrom(channel, headers["content-type"], body) : house.list(channel, searchParams);
    return { ...answer, headers: { ...admitted.headers, ...answer.headers } };
  }

  /** What is known of a channel, a guild, or the bot's membership in one. */
  function placeAt(pathname: string): Answer {
    const channel = CHANNEL_PATH.exec(pathname)?.[1];
    const [, guild, user] = GUILD_PATH.exec(pathname) ?? [];
    const subject = channel ?? guild;
    if (subject === undefined) return answers.NOT_FOUND;
    if (failedRead !== undefined) return failedRead;
    const route = channel !== undefined ? "channel" : user === undefined ? "guild" : "member";
    const admitted = keeper.admit(`${route}-e7f8a9`, subject, performance.now());
    if ("refused" in admitted) return admitted.refused;
    const found = foundAt(route, subject, user);
    return { ...found, headers: { ...admitted.headers, ...found.headers } };
  }

  function foundAt(route: "channel" | "guild" | "member", subject: string, user = ""): Answer {
    if (route === "channel") return house.channel(subject);
    return route === "guild" ? house.guild(subject) : house.member(subject, user);
  }

  function createFrom(channel: string, contentType: string | undefined, body: string): Answer {
    if (contentType?.startsWith("application/json") !== true) return answers.WRONG_CONTENT_TYPE;
    return body.length > MAX_BODY_CHARACTERS ? answers.TOO_LARGE : house.create(channel, body);
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "", headers } = incoming;
    const body = await text(incoming);
    const at = requests.push({ method, path, headers, body, status: undefined }) - 1;
    const request = requests[at]!;
    const reply = (answer: Answer) => {
      requests[at] = { ...request, status: answer.status };
      keeper.answered(answer, performance.now());
      write(response, answer);
    };
    const fault = method === "POST" ? faults.shift() : undefined;
    if (fault === undefined) return reply(answerTo(request));
    meet(fault, () => answerTo(request), reply, incoming);
  }

  const server = createServer((incoming, response) => void serve(incoming, response).catch(() => incoming.destroy()));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    ...house,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${API}`,
    token,
    requests,
    messages: (channel) => house.visible().filter((message) => channel === undefined || message.channel === channel),
    script: (fault, times = 1) => void faults.push(...Array.from({ length: times }, () => fault)),
    failReads: (answer) => void (failedRead = answer),
    calm: () => void (faults = []),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

function meet(fault: Fault, answerTo: () => Answer, reply: (answer: Answer) => void, incoming: IncomingMessage): void {
  if (fault.kind === "answer") return reply(fault.answer);
  if (fault.kind === "late") return void setTimeout(() => reply(answerTo()), fault.ms).unref();
  const answer = fault.kind === "slow" || fault.accepted ? answerTo() : undefined;
  if (fault.kind === "reset") incoming.socket.resetAndDestroy();
  if (fault.kind === "garbage") reply(answers.GARBAGE);
  if (fault.kind === "slow" && answer !== undefined) setTimeout(reply, fault.ms, answer).unref();
}

function write(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
