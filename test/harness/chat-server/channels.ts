import * as responses from "./responses.ts";
import { type ChatResponse, CHANNEL_REFUSALS, type ChannelRefusal } from "./responses.ts";
import { type Guilds, guildsOf } from "./guilds.ts";
import { type AcceptedForm, type Pings, readForm } from "./message-form.ts";

/** A message in a channel. */
export interface PostedMessage extends Pick<AcceptedForm, "content" | "embeds" | "nonce"> {
  readonly id: string;
  readonly channel: string;
  /** The mentions that notify: of the last edit, if there was one. */
  readonly pings: Pings;
  /** Number of edits; absent for none. */
  readonly edits?: number;
  /** Time of the request's arrival, in Unix milliseconds with a fraction. */
  readonly receivedAt: number;
  /** Time at which the bot has deleted it, by the same clock; absent for one that it has not. */
  readonly deletedAt?: number;
  /** The author: the bot under test, another bot, or a person. */
  readonly author: "bot" | "other bot" | "person";
}

interface ChannelRule {
  readonly refuses?: ChannelRefusal;
  /** Whether only messages with an embed are refused. */
  readonly onlyBoxes?: boolean;
}

export interface ChannelOptions {
  /** Time for which a nonce is recognized; the documentation says "the past few minutes". */
  readonly nonceWindowMs: number;
  /** Whether lists have nonces. The documentation allows it; it was not observed. */
  readonly listsNonces: boolean;
}

/** The channels and their messages. */
export interface Channels extends Omit<Guilds, "mayDo" | "mayMention"> {
  create(channel: string, body: string): ChatResponse;
  /** Replaces what a message of the bot shows. */
  edit(channel: string, id: string, body: string): ChatResponse;
  /** Deletes a message of the bot, which needs no permission but access to the channel. */
  deleteOwn(channel: string, id: string): ChatResponse;
  list(channel: string, query: URLSearchParams): ChatResponse;
  /** The user of the bot under test. */
  self(): ChatResponse;
  /** The messages that were not deleted, in the order of receipt. */
  visible(): readonly PostedMessage[];
  /** The messages that the bot has deleted. */
  deletedByBot(): readonly PostedMessage[];
  setChannel(channel: string, rule: ChannelRule): void;
  say(channel: string, author: "other bot" | "person", content: string): void;
  remove(id: string): void;
}

/** Unix milliseconds with a fraction. */
const clock = () => performance.timeOrigin + performance.now();

const NOBODY: Pings = { everyone: false, users: [], roles: [] };

export function newChannels({ nonceWindowMs, listsNonces }: ChannelOptions): Channels {
  const guilds = guildsOf(AUTHOR_IDS.bot);
  const posted: PostedMessage[] = [];
  const deleted = new Set<string>();
  const rules = new Map<string, ChannelRule>();
  /** The last message of each nonce; only the bot under test sends nonces. */
  const nonces = new Map<string, PostedMessage>();
  let lastId = 1_000_000_000_000_000_000n;

  const visible = () => posted.filter(({ id }) => !deleted.has(id));

  function add(message: Omit<PostedMessage, "id" | "receivedAt">): PostedMessage {
    lastId += 1n;
    const added = { ...message, id: String(lastId), receivedAt: clock() };
    posted.push(added);
    return added;
  }

  function refusalOf(channel: string, { embeds }: AcceptedForm): ChatResponse | undefined {
    const { refuses, onlyBoxes = false } = rules.get(channel) ?? {};
    if (refuses !== undefined && !(onlyBoxes && embeds.length === 0)) return CHANNEL_REFUSALS[refuses];
    if (!guilds.mayDo(channel, "VIEW_CHANNEL")) return CHANNEL_REFUSALS.noAccess;
    return guilds.mayDo(channel, "SEND_MESSAGES") ? undefined : CHANNEL_REFUSALS.noPermission;
  }

  /** The message without embeds and notifications for which the bot lacks permission; undefined if nothing is left. */
  function permitted(channel: string, { content, embeds, nonce, pings }: AcceptedForm): AcceptedForm | undefined {
    const boxes = guilds.mayDo(channel, "EMBED_LINKS") ? embeds : [];
    const everyone = pings.everyone && guilds.mayDo(channel, "MENTION_EVERYONE");
    const roles = pings.roles.filter((role) => guilds.mayMention(channel, role));
    if (content === "" && boxes.length === 0) return undefined;
    return { content, embeds: boxes, nonce, enforceNonce: true, pings: { ...pings, everyone, roles } };
  }

  /** The message with this nonce that was posted within `nonceWindowMs`, in any channel. */
  function repeated({ nonce, enforceNonce }: AcceptedForm): PostedMessage | undefined {
    const before = enforceNonce && nonce !== undefined ? nonces.get(nonce) : undefined;
    const age = clock() - (before?.receivedAt ?? 0);
    return age < nonceWindowMs ? before : undefined;
  }

  return {
    ...guilds,
    channel(channel) {
      const { refuses } = rules.get(channel) ?? {};
      if (refuses === "unknown" || refuses === "noAccess") return CHANNEL_REFUSALS[refuses];
      return guilds.mayDo(channel, "VIEW_CHANNEL") ? guilds.channel(channel) : CHANNEL_REFUSALS.noAccess;
    },

    create(channel, text) {
      const body = parseObject(text);
      if (body === undefined) return responses.NOT_JSON;
      const form = readForm(body);
      if ("refused" in form) return form.refused;
      const refused = refusalOf(channel, form);
      if (refused !== undefined) return refused;
      const before = repeated(form);
      if (before !== undefined && deleted.has(before.id)) return responses.UNKNOWN_MESSAGE;
      const shownForm = permitted(channel, form);
      if (shownForm === undefined) return CHANNEL_REFUSALS.noPermission;
      const { content, embeds, nonce, pings } = shownForm;
      const message = before ?? add({ content, embeds, nonce, pings, channel, author: "bot" });
      if (nonce !== undefined) nonces.set(nonce, message);
      return { status: 200, body: shown(message, true) };
    },

    edit(channel, id, text) {
      const body = parseObject(text);
      if (body === undefined) return responses.NOT_JSON;
      const at = posted.findIndex((message) => message.id === id && message.channel === channel && !deleted.has(id));
      const before = posted[at];
      if (before === undefined) return responses.UNKNOWN_MESSAGE;
      if (before.author !== "bot") return responses.OTHER_AUTHOR;
      // A member that is absent stays as it is.
      const form = readForm({ content: before.content, embeds: before.embeds, ...body });
      if ("refused" in form) return form.refused;
      const refused = refusalOf(channel, form);
      if (refused !== undefined) return refused;
      const { content, embeds, pings } = form;
      const message = { ...before, content, embeds, pings, edits: (before.edits ?? 0) + 1 };
      posted[at] = message;
      return { status: 200, body: shown(message, false) };
    },

    deleteOwn(channel, id) {
      const { refuses } = rules.get(channel) ?? {};
      if (refuses === "unknown" || refuses === "noAccess") return CHANNEL_REFUSALS[refuses];
      if (!guilds.mayDo(channel, "VIEW_CHANNEL")) return CHANNEL_REFUSALS.noAccess;
      const found = posted.find((message) => message.id === id && message.channel === channel && !deleted.has(id));
      if (found === undefined) return responses.UNKNOWN_MESSAGE;
      if (found.author !== "bot") return responses.OTHER_AUTHOR;
      deleted.add(id);
      posted[posted.indexOf(found)] = { ...found, deletedAt: clock() };
      return { status: 204, body: "" };
    },

    list(channel, query) {
      const { refuses } = rules.get(channel) ?? {};
      if (refuses === "unknown" || refuses === "noAccess") return CHANNEL_REFUSALS[refuses];
      if (!guilds.mayDo(channel, "VIEW_CHANNEL")) return CHANNEL_REFUSALS.noAccess;
      const hidesHistory = !guilds.mayDo(channel, "READ_MESSAGE_HISTORY");
      const limit = Number(query.get("limit") ?? 50);
      if (!(limit >= 1 && limit <= 100)) return responses.BAD_LIST_LENGTH;
      const all = hidesHistory ? [] : visible().filter((message) => message.channel === channel);
      const latest = all.toReversed().slice(0, limit);
      return { status: 200, body: latest.map((message) => shown(message, listsNonces)) };
    },

    self: () => ({ status: 200, body: authorOf("bot") }),

    visible,
    deletedByBot: () => posted.filter(({ deletedAt }) => deletedAt !== undefined),
    setChannel: (channel, rule) => void rules.set(channel, rule),
    say: (channel, author, content) =>
      void add({ channel, author, content, nonce: undefined, embeds: [], pings: NOBODY }),
    remove: (id) => void deleted.add(id),
  };
}

const AUTHOR_IDS = { bot: "700000000000000001", "other bot": "700000000000000002", person: "700000000000000003" };

function authorOf(author: PostedMessage["author"]): object {
  return { id: AUTHOR_IDS[author], username: author, ...(author === "person" ? {} : { bot: true }) };
}

function shown({ id, channel, content, embeds, author, nonce, pings, receivedAt }: PostedMessage, withNonce: boolean) {
  return {
    id,
    channel_id: channel,
    author: authorOf(author),
    content,
    embeds,
    timestamp: new Date(receivedAt).toISOString(),
    mention_everyone: pings.everyone,
    mentions: pings.users.map((user) => ({ id: user })),
    mention_roles: pings.roles,
    ...(withNonce && nonce !== undefined ? { nonce } : {}),
  };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
