import type { GuildId } from "../../../services/contracts/ids.ts";
import { type CurrentState } from "../../../services/dispatch/domain/plan/current-state.ts";
import type { Post } from "../../../services/dispatch/domain/post/post.ts";
import type { SinkName } from "../../../services/dispatch/domain/post/sink-name.ts";
import type { Timing } from "../../../services/dispatch/protocol/timing.ts";
import type { Scenario, Interval } from "./scenario.ts";
import { digestWith } from "./simulated-digests.ts";
import { withHoliday } from "./simulated-holidays.ts";
import type { History, SimulatedOwners } from "./simulated-owners.ts";
import type { SimulatedReceiver } from "./simulated-receiver.ts";

/** A time in which something was broken, for one sink or for all. */
export interface Fault extends Interval {
  readonly sink?: SinkName | undefined;
  /** Set for a graceful stop, which takes time and loses nothing. */
  readonly isDrain?: boolean;
}

export interface Write {
  readonly at: number;
  readonly before: Post | undefined;
  readonly after: Post;
}

/** The events of a run that are visible from outside. */
export interface Record {
  readonly writes: Write[];
  /** The faults, in time from the start of the run. */
  readonly faults: Fault[];
  readonly violations: string[];
  /** The instants at which a plan of a guild began to read its input. */
  readonly readings: { readonly at: number; readonly guildId: GuildId }[];
  /** The instants at which a request to an owner, or its response, was lost. */
  readonly lostReads: number[];
  /** The instants at which a sink returned `halted` to a replica. */
  readonly haltedResponses: { readonly at: number; readonly owner: string; readonly sink: SinkName }[];
  /** The instants at which a replica had read the database's clock for the first time, and started. */
  readonly starts: number[];
  /** Completed graceful stops, with the posts that the replica still held at their end. */
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

/** The time of the database server's clock at an instant. */
export function databaseTime({ start, scenario }: Pick<Evidence, "start" | "scenario">, at: number): number {
  return scenario.clockSteps.reduce((time, step) => (start + step.at <= at ? time + step.byMs : time), at);
}

/** Whether nothing is broken from one instant of the run to another. */
export function isFaultFree(
  { record, start }: Pick<Evidence, "record" | "start">,
  from: number,
  until: number,
): boolean {
  return !record.faults.some((fault) => start + fault.from < until && start + fault.until > from);
}

/** The first instant after which nothing is broken for `needed` milliseconds. */
export function faultFreeFrom(
  { record, start }: Pick<Evidence, "record" | "start">,
  from: number,
  needed: number,
): number {
  const ends = record.faults.map(({ until }) => start + until).filter((until) => until > from);
  return Math.min(...[from, ...ends].filter((edge) => isFaultFree({ record, start }, edge, edge + needed)));
}

/** The current state that the owner services would have returned for the post at an instant. */
export function stateAt(owners: SimulatedOwners, post: Post, at: number): CurrentState {
  const { announcements, occurrences, settings } = owners;
  const announcement = contentAt(announcements.get(post.announcementId) ?? [], at);
  const events = [...occurrences.values()].flatMap((history) => contentAt(history, at) ?? []);
  const occurrence = contentAt(occurrences.get(post.occurrenceId) ?? [], at);
  return {
    announcement,
    occurrence:
      digestWith(announcement, owners.zones(at), post.occurrenceId, events) ??
      (occurrence && withHoliday(occurrence, owners.holidaysAt(at))),
    settings: contentAt(settings.get(post.guildId) ?? [], at) ?? ({} as never),
  };
}

export function contentAt<Content>(history: History<Content>, at: number): Content | null {
  return history.findLast(({ visibleAt }) => visibleAt <= at)?.content ?? null;
}

/** The instants of changes to the post's announcement, occurrence and settings, to calendars and to holidays. */
export function changesOf(owners: SimulatedOwners, post: Post): number[] {
  const { announcements, occurrences, calendars, holidays, settings } = owners;
  const records = [
    announcements.get(post.announcementId),
    occurrences.get(post.occurrenceId),
    settings.get(post.guildId),
    ...calendars.values(),
    ...holidays.values(),
  ];
  return records.flatMap((history) => (history ?? []).map(({ visibleAt }) => visibleAt));
}

/** Whether the write claimed a planned post. */
export function isFirstClaim({ before, after }: Write): boolean {
  return before?.state === "planned" && after.state === "sending";
}
