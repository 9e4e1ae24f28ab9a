import type { EpochMs } from "../../../contracts/ids.ts";

/** The position after which a page begins. */
export interface FeedCursor extends FeedPosition {
  /** The cluster time of the snapshot in which the feed is read, in decimal digits. */
  readonly moment: string;
}

/** Events are in the order of their last write, then of their ids. */
export interface FeedPosition {
  readonly changedAt: EpochMs;
  readonly id: string;
  /** Set if the page before ended within the event; absent if the page begins after the event. */
  readonly within?: SeriesPosition;
}

/** Position within a series. */
export interface SeriesPosition {
  /** Index of the next part; the number of parts stands for the changed occurrences. */
  readonly part: number;
  /** Original start of the last written exception or changed occurrence; undefined before the part begins. */
  readonly after?: EpochMs;
}

export const START: FeedPosition = { changedAt: 0, id: "" };

const CURSOR = /^([0-9]{1,20})\.([0-9]{1,15})\.([0-9a-z]{0,26})(?:\.([0-9]{1,3})(?:\.(-1|[0-9]{1,15}))?)?$/;

export function writeCursor({ moment, changedAt, id, within }: FeedCursor): string {
  const { part, after } = within ?? {};
  return [moment, changedAt, id, part, after].filter((each) => each !== undefined).join(".");
}

/** Undefined for a text that is no cursor. */
export function readCursor(text: string): FeedCursor | undefined {
  const [, moment, changedAt, id, part, after] = CURSOR.exec(text) ?? [];
  if (moment === undefined || id === undefined) return undefined;
  const within = part === undefined ? undefined : { part: Number(part), ...(after && { after: Number(after) }) };
  return { moment, changedAt: Number(changedAt), id, ...(within && { within }) };
}
