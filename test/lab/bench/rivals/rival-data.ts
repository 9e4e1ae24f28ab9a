import mongoose from "mongoose";

/** The driver that mongoose brings: both sides of a comparison run on the same one. */
export const { MongoClient } = mongoose.mongo;

/** An event as the API shows it, which is how a rival stores it: nothing is renamed on the way. */
export interface RivalEvent {
  readonly _id: string;
  readonly guild_id: string;
  readonly calendar_number: number;
  readonly epoch_start: number;
  readonly epoch_end: number;
  /** When the last occurrence ends; of a single event, its own end. */
  readonly last: number;
  readonly name?: string;
  readonly description?: string;
  readonly location?: string;
  readonly image?: string;
  readonly color: string;
  readonly recurrence?: RivalRecurrence;
}

export interface RivalRecurrence {
  readonly frequency: "DAILY" | "WEEKLY";
  readonly count: number;
  readonly interval: number;
}

export interface RivalSettings {
  readonly _id: string;
  readonly [field: string]: unknown;
}

export interface RivalAnnouncement {
  readonly _id: string;
  readonly guild_id: string;
  readonly [field: string]: unknown;
}

/** A key by the digest of its text. */
export interface RivalKey {
  readonly _id: string;
  readonly access: "read" | "write";
  /** The guilds that it opens; none for all. */
  readonly guilds: readonly string[];
}

/** Finds a window, and reads no document outside of it. */
export const RIVAL_EVENT_INDEX = { guild_id: 1, calendar_number: 1, epoch_start: 1, last: 1 } as const;
export const RIVAL_ANNOUNCEMENT_INDEX = { guild_id: 1, sequence: 1 } as const;
