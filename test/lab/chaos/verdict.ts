import type { PostState } from "../../../services/contracts/dispatch.contract.ts";
import { LATE_WITH_REASON_MS } from "../../../services/dispatch/domain/post/late-reason.ts";

/** A post that must be sent: the channel of its announcement, and the id and name of its event. */
export interface ExpectedPost {
  readonly channel: string;
  readonly eventId: string;
  readonly title: string;
  readonly dueAt: number;
}

/** A message in a channel. */
export interface SeenMessage {
  readonly channel: string;
  readonly title: string;
  readonly receivedAt: number;
}

/** An entry of the history of posts. */
export interface PostOutcome {
  readonly channel: string;
  readonly eventId: string;
  readonly state: PostState;
  readonly lateMs?: number;
  readonly reason?: string;
  readonly reasonCode?: string;
}

/** Counts of a run's posts, from the messages in the channels and from the history. */
export interface Verdict {
  readonly due: number;
  /** Posts with at least one message. */
  readonly sent: number;
  /** Messages beyond the first of each post. */
  readonly doubled: number;
  /** Posts without a message that have no reason in the history, or are sent according to it. */
  readonly lost: number;
  /** Messages before the due instant, or of no expected post. */
  readonly early: number;
  /** Posts that were sent more than 5 s late without a reason code (D44). */
  readonly unexplained: number;
  /** Lateness of the latest message, in milliseconds after its due instant. */
  readonly worstMs: number;
}

function isLateWithoutReason({ state, lateMs = 0, reasonCode = "OTHER" }: PostOutcome): boolean {
  return state === "sent" && lateMs > LATE_WITH_REASON_MS && reasonCode === "OTHER";
}

/** Compares the expected posts with the messages in the channels and the history. */
export function verdictOn(
  expected: readonly ExpectedPost[],
  seen: readonly SeenMessage[],
  history: readonly PostOutcome[],
): Verdict {
  const counts = new Map<string, number>();
  const due = new Map(expected.map((post) => [`${post.channel} ${post.title}`, post]));
  const lateness = seen.map((message) => {
    const key = `${message.channel} ${message.title}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return message.receivedAt - (due.get(key)?.dueAt ?? Infinity);
  });
  const outcomes = new Map(history.map((outcome) => [`${outcome.channel} ${outcome.eventId}`, outcome]));
  const isExplained = ({ channel, eventId }: ExpectedPost) => {
    const { state = "sent", reason } = outcomes.get(`${channel} ${eventId}`) ?? {};
    return state !== "sent" && reason !== undefined;
  };
  const unseen = expected.filter(({ channel, title }) => !counts.has(`${channel} ${title}`));
  return {
    due: expected.length,
    sent: expected.length - unseen.length,
    doubled: [...counts.values()].reduce((sum, count) => sum + count - 1, 0),
    lost: unseen.filter((post) => !isExplained(post)).length,
    unexplained: history.filter(isLateWithoutReason).length,
    early: lateness.filter((ms) => ms < 0).length,
    worstMs: Math.round(Math.max(0, ...lateness.filter((ms) => ms > -Infinity))),
  };
}
