import type { PostOffset } from "../../../../services/contracts/announcement-offsets.ts";

/** A write, by the clock of the test: it was effective at some instant between the request and the acknowledgement. */
export interface Acknowledgement {
  readonly sentAt: number;
  readonly ackedAt: number;
}

/** The times of an event, with the stamps that the database has given them. */
export interface EventState {
  readonly name: string;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly recurs: boolean;
  readonly scheduledAt: number;
  readonly endSetAt?: number;
  readonly createdAt?: number;
  /** When a single event got its present times, if that was not its creation (D69). */
  readonly rescheduledAt?: number;
}

/** An event after an acknowledged write; null while it is deleted or cancelled. */
export interface EventVersion extends Acknowledgement {
  readonly state: EventState | null;
}

/** An acknowledged write of a pause; null ended it. */
export interface PauseWrite extends Acknowledgement {
  readonly until: number | null;
}

export interface RecordedEvent {
  /** The id by which the writers change the event, and the one that its posts have. */
  readonly eventId: string;
  readonly occurrenceId: string;
  readonly versions: EventVersion[];
  readonly pauses: PauseWrite[];
}

export interface RecordedAnnouncement {
  readonly announcementId: string;
  readonly channel: string;
  readonly ackedAt: number;
  /** The only event that it covers; absent if it covers all. */
  readonly eventId?: string;
  /** The offsets of its posts; none for a digest. */
  readonly offsets: readonly PostOffset[];
  /** Whether it has `offsets` in place of a lead time. */
  readonly hasOffsets: boolean;
  /** The instant of a digest, and whether it lists an event. */
  readonly digest?: { readonly dueAt: number; readonly isEmpty: boolean };
  readonly isEdited: boolean;
  /** Minutes after the end of an event at which its messages are deleted (D68). */
  readonly cleanUp?: number;
  info: string;
  readonly pauses: PauseWrite[];
}

/** Everything that was acknowledged for a guild. */
export interface GuildRecords {
  readonly guildId: string;
  readonly announcements: RecordedAnnouncement[];
  readonly events: RecordedEvent[];
  /** Pauses of the guild, and of its calendar. */
  readonly pauses: { readonly guild: PauseWrite[]; readonly calendar: PauseWrite[] };
  /** Ids of the messages that a person deleted in their channel. */
  readonly removed: Set<string>;
}

/** A time in which the bus or an owner service was down. */
export interface Outage {
  readonly from: number;
  until: number;
}
