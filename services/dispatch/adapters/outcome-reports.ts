import type { ServiceBroker } from "moleculer";
import { broadcast } from "../../../mixins/actions/typed-calls.ts";
import { requestFields } from "../../../mixins/observability/request-fields.ts";
import { type PostState } from "../../contracts/dispatch.contract.ts";
import {
  announcementFailed,
  announcementMissed,
  announcementPosted,
  type PostOutcome,
} from "../../contracts/post-outcomes.contract.ts";
import type { EventContract } from "../../contracts/contract.ts";
import { countError, countSettled, countWait } from "../dispatch.metrics.ts";
import type { Post } from "../domain/post/post.ts";
import { toSettledPost } from "../domain/post/post-views.ts";
import type { FailureDetails, Reports } from "../protocol/ports.ts";

/** The event of each outcome (D34); a cancelled or skipped post has none. */
const EVENTS: Partial<Record<PostState, EventContract<PostOutcome>>> = {
  sent: announcementPosted,
  missed: announcementMissed,
  failed: announcementFailed,
  unknown: announcementFailed,
};

const EXPECTED_STATES: ReadonlySet<PostState> = new Set(["sent", "skipped", "cancelled"]);

/** Writes a log line and counts a metric for each outcome, and broadcasts the outcomes that other services may need. */
export function outcomeReports(broker: ServiceBroker, logger: ServiceBroker["logger"]): Omit<Reports, "planned"> {
  return {
    settled(post: Post) {
      const { id, sink, guildId, state, changedBy } = post;
      const outcome: PostOutcome = { guildId, ...toSettledPost(post) };
      countSettled(post);
      const line = { post: id, sink, ...outcome, ...requestFields(changedBy) };
      logger[EXPECTED_STATES.has(state) ? "info" : "warn"](line, "announcement settled");
      const event = EVENTS[state];
      if (event !== undefined) broadcast(broker, event, outcome);
    },
    waited: countWait,
    operationFailed(operation, { post, error, ...details }) {
      countError(operation);
      // Pino prints the stack of an error only under the key `err`.
      const cause = error === undefined ? {} : { err: error };
      logger.warn({ operation, ...ofPost(post), ...details, ...cause }, "dispatch operation failed");
    },
  };
}

function ofPost(post: FailureDetails["post"]): object {
  return post === undefined ? {} : { post: post.id, guildId: post.guildId, ...requestFields(post.changedBy) };
}
