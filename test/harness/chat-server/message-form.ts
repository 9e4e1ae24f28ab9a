import { type ChatResponse, EMPTY_MESSAGE, type FormError, formErrors } from "./responses.ts";

/** An accepted body. `content` is trimmed, as the receiver stores it. */
export interface AcceptedForm {
  readonly content: string;
  readonly embeds: readonly Record<string, unknown>[];
  readonly nonce: string | undefined;
  readonly enforceNonce: boolean;
  /** The mentions that notify. */
  readonly pings: Pings;
}

export interface Pings {
  readonly everyone: boolean;
  readonly users: readonly string[];
  readonly roles: readonly string[];
}

type Json = Record<string, unknown>;
const SNOWFLAKE = /^\d{1,20}$/;

/** Checks a "create message" body as documented; returns the refusal, or the accepted message. */
export function readForm(body: Json): AcceptedForm | { readonly refused: ChatResponse } {
  const errors: FormError[] = [];
  const content = textAt(body, "content", 2000, errors, false);
  const embeds = arrayAt(body, "embeds", 10, errors).map((embed, at) => readEmbed(embed, `embeds.${at}`, errors));
  const total = embeds.reduce((sum, { length }) => sum + length, 0);
  if (total > 6000)
    errors.push({ path: "embeds", code: "MAX_EMBED_SIZE_EXCEEDED", message: "Embed size exceeds 6000" });
  const nonce = textAt(body, "nonce", 25, errors, false);
  const mentions = readMentions(body["allowed_mentions"], errors);
  if (errors.length > 0) return { refused: formErrors(errors) };
  if (content === "" && embeds.length === 0) return { refused: EMPTY_MESSAGE };
  return {
    content,
    embeds: embeds.map(({ embed }) => embed),
    nonce: nonce === "" ? undefined : nonce,
    enforceNonce: body["enforce_nonce"] === true,
    pings: pingsOf(content, mentions),
  };
}

function readEmbed(value: unknown, path: string, errors: FormError[]): { embed: Json; length: number } {
  const embed = (value ?? {}) as Json;
  const author = embed["author"] as Json | undefined;
  const footer = embed["footer"] as Json | undefined;
  const fields = arrayAt(embed, `${path}.fields`, 25, errors) as Json[];
  const texts = [
    textAt(embed, `${path}.title`, 256, errors, false),
    textAt(embed, `${path}.description`, 4096, errors, false),
    author === undefined ? "" : textAt(author, `${path}.author.name`, 256, errors, true),
    footer === undefined ? "" : textAt(footer, `${path}.footer.text`, 2048, errors, true),
    ...fields.flatMap((field, at) => [
      textAt(field, `${path}.fields.${at}.name`, 256, errors, true),
      textAt(field, `${path}.fields.${at}.value`, 1024, errors, true),
    ]),
  ];
  const { color, image } = embed as { color?: unknown; image?: Json };
  if (color !== undefined && !(Number.isInteger(color) && Number(color) >= 0 && Number(color) <= 0xffffff)) {
    errors.push({ path: `${path}.color`, code: "NUMBER_TYPE_MAX", message: "int value should be 0 to 16777215." });
  }
  if (image !== undefined && !isShownLink(image["url"])) {
    errors.push({ path: `${path}.image.url`, code: "URL_TYPE_INVALID_URL", message: "Not a well formed URL." });
  }
  return { embed, length: texts.reduce((sum, text) => sum + text.length, 0) };
}

function isShownLink(url: unknown): boolean {
  if (typeof url !== "string" || url.length > 2048 || !URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return (protocol === "http:" || protocol === "https:") && hostname.includes(".");
}

/** The trimmed text at a path; empty if absent. */
function textAt(from: Json, path: string, most: number, errors: FormError[], required: boolean): string {
  const value = from[path.slice(path.lastIndexOf(".") + 1)] ?? "";
  if (typeof value !== "string") {
    errors.push({ path, code: "STRING_TYPE_CONVERT", message: "Could not interpret as string." });
    return "";
  }
  const text = value.trim();
  if (required && text === "") errors.push({ path, code: "BASE_TYPE_REQUIRED", message: "This field is required" });
  if (!text.isWellFormed())
    errors.push({ path, code: "STRING_TYPE_CONVERT", message: "Could not interpret as string." });
  if (text.length > most) errors.push(tooLong(path, most));
  return text;
}

function arrayAt(from: Json, path: string, most: number, errors: FormError[]): unknown[] {
  const value = from[path.slice(path.lastIndexOf(".") + 1)] ?? [];
  if (Array.isArray(value) && value.length <= most) return value;
  errors.push({ path, code: "BASE_TYPE_BAD_LENGTH", message: `Must be between 0 and ${most} in length.` });
  return [];
}

function tooLong(path: string, most: number): FormError {
  return { path, code: "BASE_TYPE_MAX_LENGTH", message: `Must be ${most} or fewer in length.` };
}

interface Mentions {
  readonly parse: readonly string[];
  readonly users: readonly string[];
  readonly roles: readonly string[];
}

/** Without `allowed_mentions` every mention in the text notifies. */
function readMentions(value: unknown, errors: FormError[]): Mentions {
  if (value === undefined) return { parse: ["users", "roles", "everyone"], users: [], roles: [] };
  const path = "allowed_mentions";
  const mentions = value as Json;
  const parse = arrayAt(mentions, `${path}.parse`, 3, errors).map(String);
  const idsOf = (kind: "users" | "roles") => {
    const ids = arrayAt(mentions, `${path}.${kind}`, 100, errors).map(String);
    for (const [at, id] of ids.entries()) {
      if (SNOWFLAKE.test(id) && BigInt(id) < 2n ** 64n) continue;
      const message = `Value "${id}" is not snowflake.`;
      errors.push({ path: `${path}.${kind}.${at}`, code: "NUMBER_TYPE_COERCE", message });
    }
    if (parse.includes(kind) && ids.length > 0) {
      const message = `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`;
      errors.push({ path, code: "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", message });
    }
    return ids;
  };
  for (const [at, kind] of parse.entries()) {
    if (["users", "roles", "everyone"].includes(kind)) continue;
    errors.push({ path: `${path}.parse.${at}`, code: "BASE_TYPE_CHOICES", message: "Value must be one of the kinds." });
  }
  return { parse, users: idsOf("users"), roles: idsOf("roles") };
}

/** Only mentions in the content can notify, and only if they are allowed. */
function pingsOf(content: string, { parse, users, roles }: Mentions): Pings {
  const named = (pattern: RegExp) => [...new Set([...content.matchAll(pattern)].map(([, id]) => id ?? ""))];
  return {
    everyone: parse.includes("everyone") && /@everyone|@here/.test(content),
    users: named(/<@!?(\d+)>/g).filter((id) => parse.includes("users") || users.includes(id)),
    roles: named(/<@&(\d+)>/g).filter((id) => parse.includes("roles") || roles.includes(id)),
  };
}
