import type { HttpAnswer } from "../http-client.ts";
import type { SendOutcome } from "../sink.ts";
import { type AnswerBody, readAnswerBody } from "./response-body.ts";
import { meaningOf } from "./error-codes.ts";

/** Stands for the id of a message that was delivered and deleted before its id was known. */
const DELETED_MESSAGE = "deleted";

const LONGEST_QUOTE = 120;

/** What an answer to "create message" says about the post. `afterMs` is what the answer itself asks to wait. */
export function outcomeOf(answer: HttpAnswer, afterMs: number): SendOutcome {
  if (answer.kind === "unanswered") {
    return { kind: "retry", reason: answer.reason, afterMs, undelivered: !answer.mayHaveArrived };
  }
  const { status } = answer;
  const body = readAnswerBody(answer.body);
  if (status >= 200 && status < 300) return createdOutcome(status, body, afterMs);
  const reason = reasonOf(status, body);
  if (status === 429) return { kind: "retry", reason, afterMs, undelivered: true };
  // Discord's own trouble passes, whatever else the answer says, and whatever was done before it came.
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

/** An answer without an id proves nothing; asked again with the same nonce, Discord tells the id. */
function createdOutcome(status: number, body: AnswerBody | undefined, afterMs: number): SendOutcome {
  if (body?.id !== undefined) return { kind: "sent", messageId: body.id };
  return { kind: "retry", reason: `HTTP ${status} without a message id`, afterMs };
}

function outcomeByStatus(status: number, body: AnswerBody | undefined, reason: string, afterMs: number): SendOutcome {
  if (status === 401) return { kind: "halted", reason };
  // A redirect, or a path that does not exist: the base URL is wrong, for every post alike.
  if (status < 400 || status === 404 || status === 405) return { kind: "halted", reason };
  // A page from before Discord, a proxy's block for example, says nothing about the post.
  if (body === undefined) return { kind: "retry", reason, afterMs };
  return { kind: "rejected", scope: status === 403 ? "channel" : "payload", reason };
}

/** What an answer says, on one line and of bounded length. */
export function reasonOf(status: number, body: AnswerBody | undefined): string {
  const { code, message } = body ?? {};
  const quote = message?.replaceAll(/[\p{C}\s]+/gu, " ").slice(0, LONGEST_QUOTE);
  return [`HTTP ${status}`, code, quote].filter((part) => part !== undefined && part !== "").join(" ");
}
