import type { HttpResult } from "../../../../mixins/http/http-client.ts";
import type { EditOutcome, RemovalOutcome, SendOutcome } from "../sink.ts";
import { type ResponseBody, parseResponseBody } from "./response-body.ts";
import { isGone, meaningOf } from "./error-codes.ts";

/** In place of the id of a message that was deleted before its id was known. */
export const DELETED_MESSAGE = "deleted";

const MAX_QUOTE_LENGTH = 120;

/** The outcome of "create message". `afterMs` is the wait that the response requires. */
export function outcomeOf(result: HttpResult, afterMs: number): SendOutcome {
  if (result.kind === "noResponse") {
    return { kind: "retry", reason: result.reason, afterMs, undelivered: !result.mayHaveArrived };
  }
  const { status } = result;
  const body = parseResponseBody(result.body);
  if (status >= 200 && status < 300) return createdOutcome(status, body, afterMs);
  const reason = responseReason(status, body);
  if (status === 429) return { kind: "retry", reason, afterMs, undelivered: true };
  // Discord's own failures are temporary, and may have come after the message was created.
  if (status === 408 || status >= 500) return { kind: "retry", reason, afterMs };
  switch (meaningOf(body?.code)) {
    case "delivered":
      return { kind: "sent", messageId: DELETED_MESSAGE };
    case "halted":
      return { kind: "halted", reason };
    case "retry":
      return { kind: "retry", reason, afterMs, undelivered: true };
    case "channel":
      return { kind: "rejected", scope: "channel", reason };
    case "payload":
      return { kind: "rejected", scope: "payload", reason };
    case undefined:
      return outcomeByStatus(status, body, reason, afterMs);
  }
}

/** The outcome of "edit message". A deleted channel has no messages. */
export function editOutcomeOf(result: HttpResult, afterMs: number): EditOutcome {
  if (result.kind === "response") {
    const { status } = result;
    const body = parseResponseBody(result.body);
    if (status >= 200 && status < 300) {
      if (body?.id !== undefined) return { kind: "edited" };
      return { kind: "retry", reason: `HTTP ${status} without a message id`, afterMs };
    }
    if (isGone(body?.code)) return { kind: "gone", reason: responseReason(status, body) };
  }
  return outcomeOf(result, afterMs) as Exclude<SendOutcome, { readonly kind: "sent" }>;
}

/** The outcome of "delete message". A message that does not exist, or whose channel does not, is deleted. */
export function removalOutcomeOf(result: HttpResult, afterMs: number): RemovalOutcome {
  if (result.kind === "response") {
    const { status } = result;
    if (status >= 200 && status < 300) return { kind: "removed" };
    const body = parseResponseBody(result.body);
    if (isGone(body?.code)) return { kind: "gone", reason: responseReason(status, body) };
  }
  return outcomeOf(result, afterMs) as Exclude<SendOutcome, { readonly kind: "sent" }>;
}

/** A response without an id proves nothing. A retry with the same nonce returns the id. */
function createdOutcome(status: number, body: ResponseBody | undefined, afterMs: number): SendOutcome {
  if (body?.id !== undefined) return { kind: "sent", messageId: body.id };
  return { kind: "retry", reason: `HTTP ${status} without a message id`, afterMs };
}

function outcomeByStatus(status: number, body: ResponseBody | undefined, reason: string, afterMs: number): SendOutcome {
  if (status === 401) return { kind: "halted", reason };
  // A redirect, or a path that does not exist: the base URL is wrong for every post.
  if (status < 400 || status === 404 || status === 405) return { kind: "halted", reason };
  // A proxy's page says nothing about the post.
  if (body === undefined) return { kind: "retry", reason, afterMs };
  return { kind: "rejected", scope: status === 403 ? "channel" : "payload", reason };
}

/** Status, code and text of a response, on one line and of bounded length. */
export function responseReason(status: number, body: ResponseBody | undefined): string {
  const { code, message } = body ?? {};
  const quote = message?.replaceAll(/[\p{C}\s]+/gu, " ").slice(0, MAX_QUOTE_LENGTH);
  return [`HTTP ${status}`, code, quote].filter((part) => part !== undefined && part !== "").join(" ");
}
