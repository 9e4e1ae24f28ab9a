/** The fields of Discord's answers that are read here, each only when it is of the right type. */
export interface AnswerBody {
  /** The id of a created message, or of the user that was asked for. */
  readonly id?: string;
  /** An error's code and text. */
  readonly code?: number;
  readonly message?: string;
  /** Seconds, and whether the limit is the one on everything, of a 429. */
  readonly retryAfter?: number;
  readonly global?: boolean;
}

/** Undefined when the text is not a JSON object: somebody between here and Discord has answered. */
export function readAnswerBody(text: string): AnswerBody | undefined {
  const body = parsed(text);
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

/** Undefined when it is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
