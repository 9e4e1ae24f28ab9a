/** A response of the chat server, before it is written to the socket. */
export interface ChatResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

function refusal(status: number, code: number, message: string): ChatResponse {
  return { status, body: { message, code } };
}

/** The response of a proxy in front of the API. */
export function htmlPage(status: number, headers: Readonly<Record<string, string>> = {}): ChatResponse {
  const body = `<html><body><h1>${status}</h1></body></html>`;
  return { status, headers: { ...headers, "content-type": "text/html" }, body };
}

/** A list of form errors in Discord's nested shape: `embeds.0.title` becomes three levels. */
export function formErrors(errors: readonly FormError[]): ChatResponse {
  const tree: Record<string, unknown> = {};
  for (const { path, code, message } of errors) {
    let level = tree;
    for (const step of path.split(".")) level = (level[step] ??= {}) as Record<string, unknown>;
    level["_errors"] = [{ code, message }];
  }
  return { status: 400, body: { message: "Invalid Form Body", code: 50035, errors: tree } };
}

export interface FormError {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

export const UNAUTHORIZED = refusal(401, 0, "401: Unauthorized");
export const BAD_USER_AGENT = refusal(403, 40333, "internal network error");
export const NOT_FOUND = refusal(404, 0, "404: Not Found");
export const METHOD_NOT_ALLOWED = refusal(405, 0, "405: Method Not Allowed");
export const NOT_JSON = refusal(400, 50109, "The request body contains invalid JSON.");
export const WRONG_CONTENT_TYPE = refusal(
  400,
  50035,
  "Expected \"Content-Type\" header to be one of {'application/json'}.",
);
export const TOO_LARGE = refusal(413, 40005, "Request entity too large");
export const EMPTY_MESSAGE = refusal(400, 50006, "Cannot send an empty message");
export const BAD_LIST_LENGTH = formErrors([
  { path: "limit", code: "NUMBER_TYPE_MAX", message: "int value should be 1 to 100." },
]);
export const GARBAGE: ChatResponse = { status: 200, headers: { "content-type": "text/plain" }, body: "}{ no JSON" };
export const UNKNOWN_GUILD = refusal(404, 10004, "Unknown Guild");
export const UNKNOWN_MEMBER = refusal(404, 10007, "Unknown Member");
export const OTHER_AUTHOR = refusal(403, 50005, "Cannot edit a message authored by another user");
export const UNKNOWN_MESSAGE = refusal(404, 10008, "Unknown Message");

/** The refusals of a channel, with Discord's codes. */
export const CHANNEL_REFUSALS = {
  unknown: refusal(404, 10003, "Unknown Channel"),
  noAccess: refusal(403, 50001, "Missing Access"),
  noPermission: refusal(403, 50013, "Missing Permissions"),
  notText: refusal(400, 50008, "Cannot send messages in a non-text channel"),
  archived: refusal(400, 50083, "Thread is archived"),
  locked: refusal(403, 160005, "Thread is locked"),
  moderated: refusal(400, 200000, "Message was blocked by automatic moderation"),
  harmfulLink: refusal(400, 240000, "Message blocked by harmful links filter"),
  overloaded: refusal(429, 130000, "API resource is currently overloaded. Try again a little later"),
} as const;
export type ChannelRefusal = keyof typeof CHANNEL_REFUSALS;
