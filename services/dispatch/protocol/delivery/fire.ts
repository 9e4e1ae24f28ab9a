import type { ChatMessage } from "../../domain/message/chat-message.ts";
import { changedBy } from "../../domain/post/changed-by.ts";
import { type PostTruth, type StandingTruth, stands } from "../../domain/plan/current-state.ts";
import type { Announced } from "../../domain/message/announcement-embed.ts";
import type { Post } from "../../domain/post/post.ts";
import type { Sink } from "../../sinks/sink.ts";
import type { Answer, Questions } from "../scheduling/state-reader.ts";
import { announcedThrough } from "./with-guild-name.ts";
import type { Delivery } from "./deliver.ts";
import type { Ledger } from "./ledger.ts";
import type { Life } from "../lifecycle.ts";
import type { Planner } from "../planning/planner.ts";
import type { Ports } from "../ports.ts";
import type { Timing } from "../timing.ts";
import type { WaitRecords } from "../wait-records.ts";

/** The parts of the protocol that firing leads together. */
export interface FireParts {
  readonly ports: Ports;
  readonly timing: Timing;
  readonly life: Life;
  readonly planner: Planner;
  readonly questions: Questions;
  readonly ledger: Ledger;
  readonly delivery: Delivery;
  readonly waits: WaitRecords;
}

/** What a post that is later than this has waited for is written with its claim: its worker may vanish. */
const TOLD_WITH_CLAIM_MS = 1_000;

/**
 * What happens to a planned post at its due instant: the truth is asked for, the post is claimed on it, and sent. When
 * the truth has changed the guild is planned anew, and the new plan says what becomes of the post.
 */
export function newFiring(parts: FireParts): (post: Post, sink: Sink) => Promise<boolean> {
  const { ports, timing, life, planner, questions, ledger, delivery, waits } = parts;

  /** Resolves to whether it is known what has become of it: a claim that is refused, or has no answer, does not say. */
  async function fire(post: Post, sink: Sink): Promise<boolean> {
    const answer = await truthInTime(post);
    waits.spent(post, "OWNERS_SILENT");
    if (life.stopping) return true;
    if (answer !== undefined && !stands(post, answer.truth, timing.graceMs)) {
      await planner.touch(post.guildId, post.dueAt);
    } else if (ports.clock.now() > post.deadline || answer === undefined) {
      await miss(post, answer);
    } else {
      return claimAndSend(post, sink, answer as Answer & { truth: StandingTruth });
    }
    return true;
  }

  /** Asks until there is an answer or the deadline is over. */
  async function truthInTime(post: Post): Promise<Answer | undefined> {
    for (;;) {
      const answer = await questions.askAbout(post);
      if (answer !== undefined || ports.clock.now() > post.deadline || life.stopping) return answer;
      await life.sleep(timing.askAgainMs);
    }
  }

  async function miss(post: Post, answer: Answer | undefined): Promise<void> {
    const outcome = { state: "missed", reason: waits.missedReason(post), settledAt: ports.clock.now() } as const;
    await ledger.write(post, { ...outcome, waited: undefined, ...(answer && whose(answer.truth)) });
    waits.forget(post);
  }

  async function claimAndSend(
    post: Post,
    sink: Sink,
    { truth, validUntil }: Answer & { truth: StandingTruth },
  ): Promise<boolean> {
    const messages = rendered(await announcedThrough(sink, truth));
    waits.spent(post, "RECEIVER_SLOW");
    const asOf = ports.clock.now();
    const claimed = await ledger.claim({
      post,
      asOf,
      owner: ports.replicas.self,
      attemptId: ports.random.id(),
      leaseMs: timing.leaseMs,
      parts: messages instanceof Error ? 1 : messages.length,
      announcementRevision: truth.announcement.revision,
      notAfter: validUntil,
      ...whose(truth),
      ...(asOf - post.dueAt > TOLD_WITH_CLAIM_MS && { waited: waits.waited(post) }),
    });
    waits.spent(post, "DATABASE");
    if (claimed === null) return false;
    if (messages instanceof Error) await delivery.fail(claimed, `it can't be rendered: ${messages.message}`, true);
    else await delivery.send(claimed, sink, messages, true);
    return true;
  }

  function rendered(announced: Announced): readonly ChatMessage[] | Error {
    try {
      return ports.render(announced);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  return fire;
}

function whose(truth: PostTruth): Pick<Post, "changedBy"> {
  const origin = changedBy(truth);
  return origin === undefined ? {} : { changedBy: origin };
}
