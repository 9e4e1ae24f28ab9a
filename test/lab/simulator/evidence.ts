import type { GuildId } from "../../../services/contracts/ids.ts";
import { type CurrentState } from "../../../services/dispatch/domain/plan/current-state.ts";
import type { Post } from "../../../services/dispatch/domain/post/post.ts";
import type { SinkName } from "../../../services/dispatch/domain/post/sink-name.ts";
import type { Timing } from "../../../services/dispatch/protocol/timing.ts";
import type { Scenario, Stretch } from "./scenario.ts";
import type { History, SimulatedOwners } from "./simulated-owners.ts";
import type { SimulatedReceiver } from "./simulated-receiver.ts";

/** Something that was broken for a while, for one sink or for all. */
export interface Fault extends Stretch {
  readonly sink?: SinkName | undefined;
  /** An orderly stop: it takes time, and loses nothing. */
  readonly isDrain?: boolean;
}

export interface Write {
  readonly at: number;
  readonly before: Post | undefined;
  readonly after: Post;
}

/** What happened in a run, as far as it can be seen from outside. */
export interface Record {
  readonly writes: Write[];
  /** When something was broken, from the start of the run. */
  readonly faults: Fault[];
  readonly violations: string[];
  /** When a plan of a guild began to read its input. */
  readonly readings: { readonly at: number; readonly guildId: GuildId }[];
  /** When a sink answered `halted` to a replica. */
  readonly haltedAnswers: { readonly at: number; readonly owner: string; readonly sink: SinkName }[];
  /** Orderly stops that came to their end, with the posts that the replica still held then. */
  readonly drains: { readonly from: number; readonly until: number; readonly left: readonly string[] }[];
}

export interface Evidence {
  readonly start: number;
  /** The end of the run. */
  readonly now: number;
  readonly record: Record;
  readonly owners: SimulatedOwners;
  readonly receiver: SimulatedReceiver;
  readonly posts: ReadonlyMap<string, Post>;
  readonly scenario: Scenario;
  readonly timing: Timing;
}

/** What the database server's clock said at an instant. */
export function databaseTime({ start, scenario }: Pick<Evidence, "start" | "scenario">, at: number): number {
  return scenario.clockSteps.reduce((time, step) => (start + step.at <= at ? time + step.byMs : time), at);
}

/** Whether nothing is broken in the stretch; both ends are instants of the run. */
export function isWell({ record, start }: Pick<Evidence, "record" | "start">, from: number, until: number): boolean {
  return !record.faults.some((fault) => start + fault.from < until && start + fault.until > from);
}

/** The first instant from which on nothing is broken for so long. */
export function wellFrom({ record, start }: Pick<Evidence, "record" | "start">, from: number, needed: number): number {
  const ends = record.faults.map(({ until }) => start + until).filter((until) => until > from);
  return Math.min(...[from, ...ends].filter((edge) => isWell({ record, start }, edge, edge + needed)));
}

/** What the owners would have said about the post at an instant. */
export function stateAt({ announcements, occurrences }: SimulatedOwners, post: Post, at: number): CurrentState {
  return {
    announcement: thingAt(announcements.get(post.announcementId) ?? [], at),
    occurrence: thingAt(occurrences.get(post.occurrenceId) ?? [], at),
    settings: {} as never,
  };
}

export function thingAt<Thing>(history: History<Thing>, at: number): Thing | null {
  return history.findLast(({ visibleAt }) => visibleAt <= at)?.thing ?? null;
}

/** When what the post depends on changed. */
export function changesOf({ announcements, occurrences }: SimulatedOwners, post: Post): number[] {
  const histories = [announcements.get(post.announcementId) ?? [], occurrences.get(post.occurrenceId) ?? []];
  return histories.flat().map(({ visibleAt }) => visibleAt);
}

/** Whether the write took a planned post to send it. */
export function isFirstClaim({ before, after }: Write): boolean {
  return before?.state === "planned" && after.state === "sending";
}
