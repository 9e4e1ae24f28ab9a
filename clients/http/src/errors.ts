import type { ErrorBody } from "./api-types.ts";
import type { ApiError, ErrorCode, NoResponseError } from "./client-types.ts";

/** The body of an error; that of a 400 has `errors`. */
type AnyErrorBody = Pick<ErrorBody, "message" | "code" | "request_id"> & { readonly errors?: ApiError["errors"] };

/** The error of a response whose status is not 200, or whose body is no JSON object. */
export function apiError(response: Response, body: unknown, idempotencyKey: string | undefined): ApiError {
  const { status, headers } = response;
  const known = isErrorBody(body) ? body : undefined;
  const text = known === undefined ? `the response with the status ${status} is none of guildcal's` : known.message;
  return Object.assign(new Error(known === undefined ? text : `${known.code}: ${text}`), {
    name: "ApiError" as const,
    status,
    code: known?.code ?? ("UNEXPECTED_RESPONSE" as const),
    errors: known?.errors ?? [],
    requestId: known?.request_id ?? headers.get("x-request-id") ?? undefined,
    retryAfterMs: retryAfterMs(headers.get("retry-after")),
    idempotencyKey,
  });
}

export function noResponseError(cause: unknown, idempotencyKey: string | undefined): NoResponseError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return Object.assign(new Error(`no response came: ${reason}`, { cause }), {
    name: "NoResponseError" as const,
    idempotencyKey,
  });
}

export function isApiError(error: unknown, ...codes: (ErrorCode | "UNEXPECTED_RESPONSE")[]): error is ApiError {
  return isNamed<ApiError>(error, "ApiError") && (codes.length === 0 || codes.includes(error.code));
}

export function isNoResponseError(error: unknown): error is NoResponseError {
  return isNamed<NoResponseError>(error, "NoResponseError");
}

/** Compares the name, so that an error of another copy of this package is recognized. */
function isNamed<Named extends Error>(error: unknown, name: Named["name"]): error is Named {
  return error instanceof Error && error.name === name;
}

function isErrorBody(body: unknown): body is AnyErrorBody {
  const { message, code, request_id: id } = Object(body) as Partial<Record<string, unknown>>;
  return typeof message === "string" && typeof code === "string" && typeof id === "string";
}

/** guildcal sends seconds; a proxy may send a date, which is not read. */
function retryAfterMs(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : undefined;
}
