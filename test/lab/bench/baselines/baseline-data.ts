import mongoose from "mongoose";

/** The driver of mongoose, so that both sides of a comparison use the same one. */
export const { MongoClient } = mongoose.mongo;

/** An event as the API returns it and a baseline stores it. */
export interface BaselineEvent {
  readonly _id: string;
  readonly guild_id: string;
  readonly calendar_number: number;
  readonly epoch_start: number;
  readonly epoch_end: number;
  /** The end of the last occurrence; of a single event, its own end. */
  readonly last: number;
  readonly name?: string;
  readonly description?: string;
  readonly location?: string;
  readonly image?: string;
  readonly color: string;
  readonly recurrence?: BaselineRecurrence;
}

export interface BaselineRecurrence {
  readonly frequency: "DAILY" | "WEEKLY";
  readonly count: number;
  readonly interval: number;
}

export interface BaselineSettings {
  readonly _id: string;
  readonly [field: string]: unknown;
}

export interface BaselineAnnouncement {
  readonly _id: string;
  readonly guild_id: string;
  readonly [field: string]: unknown;
}

/** An API key, by the digest of its text. */
export interface BaselineKey {
  readonly _id: string;
  readonly access: "read" | "write";
  /** The guilds to which the key gives access; all if absent. */
  readonly guilds: readonly string[];
}

/** The index that finds a window without reading documents outside of it. */
export const BASELINE_EVENT_INDEX = { guild_id: 1, calendar_number: 1, epoch_start: 1, last: 1 } as const;
export const BASELINE_ANNOUNCEMENT_INDEX = { guild_id: 1, sequence: 1 } as const;
