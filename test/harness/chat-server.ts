import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import * as responses from "./chat-server/responses.ts";
import type { ChatResponse } from "./chat-server/responses.ts";
import { type ChatServerLimits, newLimiter, USUAL_LIMITS } from "./chat-server/limits.ts";
import { type PostedMessage, type ChannelOptions, type Channels, newChannels } from "./chat-server/channels.ts";

/** A fault of one request that creates, edits or deletes a message. `accepted` is whether that happens anyway. */
type Fault =
  /** The response is this one, and the message is not posted. */
  | { readonly kind: "response"; readonly response: ChatResponse }
  /** The message is posted at once, and the response follows after this time. */
  | { readonly kind: "slow"; readonly ms: number }
  /** The message is posted after this time, and the response is sent then, if the client still waits. */
  | { readonly kind: "late"; readonly ms: number }
  /** The connection is reset. */
  | { readonly kind: "reset"; readonly accepted: boolean }
  /** The connection stays open without a response. */
  | { readonly kind: "silence"; readonly accepted: boolean }
  /** A response with 200 and a body that is not JSON. */
  | { readonly kind: "garbage"; readonly accepted: boolean };

interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** The status of the response; undefined without a response. */
  readonly status: number | undefined;
}

/** A chat server on loopback that accepts, limits and refuses messages as Discord documents it. */
export interface ChatServer extends Pick<
  Channels,
  "setChannel" | "setGuild" | "addChannel" | "say" | "remove" | "deletedByBot"
> {
  /** Base URL of its API. */
  readonly url: string;
  readonly token: string;
  /** Every request, in the order of receipt. */
  readonly requests: readonly ReceivedRequest[];
  /** The messages of the channel, or of all channels, in the order of receipt. */
  messages(channel?: string): readonly PostedMessage[];
  /** The next `times` requests that create, edit or delete a message get this fault, after the faults that were scripted before. */
  script(fault: Fault, times?: number): void;
  /** Sends this response to every request that reads a channel, a guild or a member; undefined ends that. */
  failReads(response: ChatResponse | undefined): void;
  /** Removes the scripted faults that were not used yet. */
  calm(): void;
  stop(): Promise<void>;
}

export interface ChatServerOptions extends Partial<ChannelOptions> {
  readonly token?: string;
  readonly limits?: Partial<ChatServerLimits>;
}

const API = "/api/v10";
const SELF_PATH = `${API}/users/@me`;
const MESSAGES_PATH = new RegExp(`^${API}/channels/(\\d+)/messages$`);
const MESSAGE_PATH = new RegExp(`^${API}/channels/(\\d+)/messages/(\\w+)$`);
const CHANNEL_PATH = new RegExp(`^${API}/channels/(\\d+)$`);
const GUILD_PATH = new RegExp(`^${API}/guilds/(\\d+)(?:/members/(\\d+))?$`);
/** The methods of requests that create, edit or delete a message. */
const FAULTY_METHODS: ReadonlySet<string> = new Set(["POST", "PATCH", "DELETE"]);
const MAX_BODY_CHARACTERS = 1024 * 1024;

/** Starts a server on a free port of loopback. */
export async function startChatServer({
  token = "test-token",
  limits = {},
  nonceWindowMs = 300_000,
  listsNonces = false,
}: ChatServerOptions = {}): Promise<ChatServer> {
  const channels = newChannels({ nonceWindowMs, listsNonces });
  const limiter = newLimiter({ ...USUAL_LIMITS, ...limits });
  const requests: ReceivedRequest[] = [];
  let faults: Fault[] = [];
  let failedRead: ChatResponse | undefined;

  /** The response by the rules, without scripted faults. */
  function responseTo({ method, path, headers, body }: ReceivedRequest): ChatResponse {
    const { pathname, searchParams } = new URL(path, "http://chat");
    const channel = MESSAGES_PATH.exec(pathname)?.[1];
    const isCreate = method === "POST";
    if (headers.authorization !== `Bot ${token}`) return responses.UNAUTHORIZED;
    if (!/^DiscordBot \(\S+, \S+\)/.test(headers["user-agent"] ?? "")) return responses.BAD_USER_AGENT;
    if (decodeURIComponent(pathname) === SELF_PATH && method === "GET") return channels.self();
    if (method === "PATCH" || method === "DELETE") return changed(method, pathname, body);
    if (channel === undefined) return method === "GET" ? placeAt(pathname) : responses.NOT_FOUND;
    if (!isCreate && method !== "GET") return responses.METHOD_NOT_ALLOWED;
    const admission = limiter.admit(isCreate ? "create-a1b2c3" : "list-d4e5f6", channel, performance.now());
    if ("refused" in admission) return admission.refused;
    const result = isCreate ? createFrom(channel, headers["content-type"], body) : channels.list(channel, searchParams);
    return { ...result, headers: { ...admission.headers, ...result.headers } };
  }

  /** The response to an edit or a deletion, which have limits of their own. */
  function changed(method: "PATCH" | "DELETE", pathname: string, body: string): ChatResponse {
    const [, channel, id] = MESSAGE_PATH.exec(pathname) ?? [];
    if (channel === undefined || id === undefined) return responses.NOT_FOUND;
    const isEdit = method === "PATCH";
    const admission = limiter.admit(isEdit ? "edit-b7c8d9" : "delete-c0d1e2", channel, performance.now());
    if ("refused" in admission) return admission.refused;
    const result = isEdit ? channels.edit(channel, id, body) : channels.deleteOwn(channel, id);
    return { ...result, headers: { ...admission.headers, ...result.headers } };
  }

  /** The response for a channel, a guild, or the bot's membership in a guild. */
  function placeAt(pathname: string): ChatResponse {
    const channel = CHANNEL_PATH.exec(pathname)?.[1];
    const [, guild, user] = GUILD_PATH.exec(pathname) ?? [];
    const subject = channel ?? guild;
    if (subject === undefined) return responses.NOT_FOUND;
    if (failedRead !== undefined) return failedRead;
    const route = channel !== undefined ? "channel" : user === undefined ? "guild" : "member";
    const admission = limiter.admit(`${route}-e7f8a9`, subject, performance.now());
    if ("refused" in admission) return admission.refused;
    const found = foundAt(route, subject, user);
    return { ...found, headers: { ...admission.headers, ...found.headers } };
  }

  function foundAt(route: "channel" | "guild" | "member", subject: string, user = ""): ChatResponse {
    if (route === "channel") return channels.channel(subject);
    return route === "guild" ? channels.guild(subject) : channels.member(subject, user);
  }

  function createFrom(channel: string, contentType: string | undefined, body: string): ChatResponse {
    if (contentType?.startsWith("application/json") !== true) return responses.WRONG_CONTENT_TYPE;
    return body.length > MAX_BODY_CHARACTERS ? responses.TOO_LARGE : channels.create(channel, body);
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "", headers } = incoming;
    const body = await text(incoming);
    const at = requests.push({ method, path, headers, body, status: undefined }) - 1;
    const request = requests[at]!;
    const reply = (sent: ChatResponse) => {
      requests[at] = { ...request, status: sent.status };
      limiter.recordResponse(sent, performance.now());
      write(response, sent);
    };
    const fault = FAULTY_METHODS.has(method) ? faults.shift() : undefined;
    if (fault === undefined) return reply(responseTo(request));
    applyFault(fault, () => responseTo(request), reply, incoming);
  }

  const server = createServer((incoming, response) => void serve(incoming, response).catch(() => incoming.destroy()));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    ...channels,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${API}`,
    token,
    requests,
    messages: (channel) => channels.visible().filter((message) => channel === undefined || message.channel === channel),
    script: (fault, times = 1) => void faults.push(...Array.from({ length: times }, () => fault)),
    failReads: (response) => void (failedRead = response),
    calm: () => void (faults = []),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** Responds to a request as the fault says, or not at all. `responseTo` also posts the message. */
function applyFault(
  fault: Fault,
  responseTo: () => ChatResponse,
  reply: (response: ChatResponse) => void,
  incoming: IncomingMessage,
): void {
  if (fault.kind === "response") return reply(fault.response);
  if (fault.kind === "late") return void setTimeout(() => reply(responseTo()), fault.ms).unref();
  const response = fault.kind === "slow" || fault.accepted ? responseTo() : undefined;
  if (fault.kind === "reset") incoming.socket.resetAndDestroy();
  if (fault.kind === "garbage") reply(responses.GARBAGE);
  if (fault.kind === "slow" && response !== undefined) setTimeout(reply, fault.ms, response).unref();
}

function write(response: ServerResponse, { status, headers, body }: ChatResponse): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
