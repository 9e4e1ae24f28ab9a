/** The fields of Discord's responses that are used; each only if it has the right type. */
export interface ResponseBody {
  /** The id of the created message or of the requested user. */
  readonly id?: string;
  /** Code and text of an error. */
  readonly code?: number;
  readonly message?: string;
  /** Of a 429: seconds, and whether the limit is the global one. */
  readonly retryAfter?: number;
  readonly global?: boolean;
}

/** Undefined if the text is not a JSON object: then a proxy has responded, not Discord. */
export function parseResponseBody(text: string): ResponseBody | undefined {
  const body = parseJson(text);
  if (typeof body !== "object" || body === null || Array.isArray(body)) return undefined;
  const { id, code, message, retry_after: retryAfter, global } = body as Record<string, unknown>;
  return {
    ...(typeof id === "string" && /^\d{1,20}$/.test(id) ? { id } : {}),
    ...(typeof code === "number" ? { code } : {}),
    ...(typeof message === "string" ? { message } : {}),
    ...(typeof retryAfter === "number" ? { retryAfter } : {}),
    ...(typeof global === "boolean" ? { global } : {}),
  };
}

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
