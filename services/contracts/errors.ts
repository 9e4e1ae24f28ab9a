import type { FieldProblem } from "./field-problem.ts";

/**
 * Every error of the API by its code (D4), with the HTTP status and the message. On the bus an error keeps its `type`, `code`
 * (the status) and `data`, and loses its class: only the `type` distinguishes errors.
 */
export const ERRORS = {
  ROUTE_NOT_FOUND: { status: 404, message: "No such path" },
  METHOD_NOT_ALLOWED: { status: 405, message: "Method not allowed" },
  UNAUTHORIZED: { status: 401, message: "Missing or invalid API key" },
  PAYLOAD_TOO_LARGE: { status: 413, message: "The body is larger than 65536 bytes" },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: "The body must be application/json" },
  INVALID_JSON: { status: 400, message: "The body is not one JSON object in UTF-8, or is nested too deeply" },
  INVALID_REQUEST: { status: 400, message: "Bad request" },
  TOO_MANY_ENTRIES: { status: 400, message: "The response would have too many entries, or too many bytes" },
  FORBIDDEN: { status: 403, message: "This API key does not allow that" },
  OPERATOR_ONLY: { status: 403, message: "Only an operator key may change this field" },
  ANNOUNCEMENT_NOT_FOUND: { status: 404, message: "Announcement not found" },
  EVENT_NOT_FOUND: { status: 404, message: "Event not found" },
  FOLLOW_NOT_FOUND: { status: 404, message: "The calendar follows no address" },
  CALENDAR_NOT_FOUND: { status: 404, message: "Calendar not found" },
  KEY_NOT_FOUND: { status: 404, message: "Key not found" },
  FEED_NOT_FOUND: { status: 404, message: "Feed not found" },
  WEBHOOK_NOT_FOUND: { status: 404, message: "Webhook not found" },
  DELIVERY_NOT_FOUND: { status: 404, message: "Delivery not found" },
  SYNC_TOKEN_EXPIRED: {
    status: 410,
    message: "The sync token is too old; read everything again, without a token",
  },
  KEY_OVER: { status: 409, message: "The key is revoked or expired" },
  KEY_ROTATING: {
    status: 409,
    message: "Two secrets of the key are valid; wait until the older one expires, or send overlap_hours 0",
  },
  REVISION_MISMATCH: {
    status: 412,
    message: "The resource has another revision than If-Match names; nothing was changed",
  },
  TOO_MANY_ANNOUNCEMENTS: { status: 409, message: "The guild already has 1000 announcements" },
  TOO_MANY_SUBSCRIBERS: { status: 409, message: "An announcement has at most 1000 subscribed roles and 1000 users" },
  TOO_MANY_FEEDS: { status: 409, message: "The guild already has 100 feeds" },
  TOO_MANY_WEBHOOKS: { status: 409, message: "The guild already has 10 webhooks" },
  TOO_MANY_DELIVERIES: { status: 409, message: "The webhook already has 200 pending deliveries" },
  WEBHOOK_DISABLED: { status: 409, message: "The webhook is disabled; enable it first" },
  WEBHOOK_ROTATING: {
    status: 409,
    message: "Two secrets of the webhook are in use; wait until the older one expires, or send overlap_hours 0",
  },
  CALENDAR_FOLLOWED: {
    status: 409,
    message: "The calendar follows an address and is read-only; /v2/calendar/unfollow makes it writable",
  },
  CALENDAR_NOT_EMPTY: {
    status: 409,
    message: "The calendar has events; with replace true those that the address does not have are deleted",
  },
  TOO_MANY_EVENTS: { status: 409, message: "The guild already has the maximum number of events" },
  IDEMPOTENCY_KEY_REUSED: { status: 409, message: "Another request was sent with this Idempotency-Key" },
  TOO_MANY_REQUESTS: { status: 429, message: "Too many requests; try again when Retry-After has passed" },
  WRITE_CONFLICT: { status: 409, message: "Another request changed the resource at the same moment; try again" },
  INTERNAL: { status: 500, message: "Internal error" },
  UNAVAILABLE: { status: 503, message: "Temporarily unavailable; try again" },
  OUTCOME_UNKNOWN: {
    status: 503,
    message: "The outcome is unknown; check whether the request was performed before you send it again",
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorType = keyof typeof ERRORS;

/**
 * Errors of HTTP, before a request reaches a path (D4). They never cross the bus, where Moleculer's time-outs also have the
 * type REQUEST_TIMEOUT.
 */
export const HTTP_ERRORS = {
  INVALID_HTTP: { status: 400, message: "The request is not valid HTTP" },
  NO_TUNNEL: { status: 405, message: "Method not allowed" },
  REQUEST_TIMEOUT: { status: 408, message: "The request took too long to arrive" },
  EXPECTATION_FAILED: { status: 417, message: "The only supported expectation is 100-continue" },
  HEADERS_TOO_LARGE: { status: 431, message: "The headers are too large, or too many" },
} as const satisfies Record<string, { status: number; message: string }>;

export type HttpErrorType = keyof typeof HTTP_ERRORS;

/** The refusal of a request: a value that domains return instead of throwing an error. */
export interface Refusal {
  readonly refusal: ErrorType;
  readonly problems?: readonly FieldProblem[];
  /** Replaces the message of ERRORS. */
  readonly message?: string;
}

export function refuse(type: ErrorType, problems?: readonly FieldProblem[], message?: string): Refusal {
  return {
    refusal: type,
    ...(problems === undefined ? {} : { problems }),
    ...(message === undefined ? {} : { message }),
  };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && "refusal" in value;
}
