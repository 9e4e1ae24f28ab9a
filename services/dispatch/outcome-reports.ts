import type { ServiceBroker } from "moleculer";
import {
  ANNOUNCEMENT_FAILED,
  ANNOUNCEMENT_MISSED,
  ANNOUNCEMENT_POSTED,
  type PostOutcome,
  type PostState,
} from "../contracts/dispatch.contract.ts";
import type { Post } from "./domain/post.ts";
import { settledOf } from "./domain/post-views.ts";
import type { Reports } from "./protocol/ports.ts";

/** The broadcast of an outcome (D34); what was called off by a change of plans is not one. */
const EVENTS: Partial<Record<PostState, string>> = {
  sent: ANNOUNCEMENT_POSTED,
  missed: ANNOUNCEMENT_MISSED,
  failed: ANNOUNCEMENT_FAILED,
  unknown: ANNOUNCEMENT_FAILED,
};

/** One structured line and one broadcast for each outcome. */
export function outcomeReports(broker: ServiceBroker, logger: ServiceBroker["logger"]): Reports {
  return {
    settled(post: Post) {
      const event = EVENTS[post.state];
      if (event === undefined) return;
      const outcome: PostOutcome = { guildId: post.guildId, ...settledOf(post) };
      const { state } = post;
      logger[state === "sent" ? "info" : "warn"](
        { post: post.id, sink: post.sink, ...outcome },
        "announcement settled",
      );
      void broker.broadcast(event, outcome);
    },
    trouble(what, details) {
      logger.warn({ what, ...withPlainError(details) }, "dispatch trouble");
    },
  };
}

/** Pino prints an error in full only under `err`. */
function withPlainError({ error, ...details }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return error === undefined ? details : { ...details, err: error };
}
