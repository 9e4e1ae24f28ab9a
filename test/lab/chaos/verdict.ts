import type { PostState } from "../../../services/contracts/dispatch.contract.ts";
import { LATE_WITH_REASON_MS } from "../../../services/dispatch/domain/post/late-reason.ts";

/** A post that has to be made: an announcement's channel, and the event's id and name. */
export interface ExpectedPost {
  readonly channel: string;
  readonly eventId: string;
  readonly title: string;
  readonly dueAt: number;
}

/** A message that everybody in the channel sees. */
export interface SeenMessage {
  readonly channel: string;
  readonly title: string;
  readonly receivedAt: number;
}

/** What the history says of a post. */
export interface ToldOutcome {
  readonly channel: string;
  readonly eventId: string;
  readonly state: PostState;
  readonly lateMs?: number;
  readonly reason?: string;
  readonly reasonCode?: string;
}

/** What became of all posts of a run, as an onlooker counts them. */
export interface Verdict {
  readonly due: number;
  /** Seen at least once. */
  readonly sent: number;
  /** Messages too many. */
  readonly doubled: number;
  /** Not seen, and nothing says why; or said to be sent, and not seen. */
  readonly lost: number;
  /** Seen before they were due, or nobody's. */
  readonly early: number;
  /** Sent more than 5 s late, and nothing says what it waited for (D44). */
  readonly unexplained: number;
  /** The latest that was seen, in milliseconds after its due instant. */
  readonly worstMs: number;
}

function isLateWithoutReason({ state, lateMs = 0, reasonCode = "OTHER" }: ToldOutcome): boolean {
  return state === "sent" && lateMs > LATE_WITH_REASON_MS && reasonCode === "OTHER";
}

/** Compares what was to be posted with what can be seen and what is told. */
export function verdictOn(
  expected: readonly ExpectedPost[],
  seen: readonly SeenMessage[],
  told: readonly ToldOutcome[],
): Verdict {
  const counts = new Map<string, number>();
  const due = new Map(expected.map((post) => [`${post.channel} ${post.title}`, post]));
  const lateness = seen.map((message) => {
    const key = `${message.channel} ${message.title}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return message.receivedAt - (due.get(key)?.dueAt ?? Infinity);
  });
  const outcomes = new Map(told.map((outcome) => [`${outcome.channel} ${outcome.eventId}`, outcome]));
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
    unexplained: told.filter(isLateWithoutReason).length,
    early: lateness.filter((ms) => ms < 0).length,
    worstMs: Math.round(Math.max(0, ...lateness.filter((ms) => ms > -Infinity))),
  };
}
