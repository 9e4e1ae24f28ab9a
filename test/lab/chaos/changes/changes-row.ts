/** A run of `test:chaos` that checks the changes of guilds in place of posts. */
export interface ChangesRow extends ChangesSize {
  readonly name: string;
  /** Runs without some guards, each of which must break the promise named. */
  readonly controls: readonly ChangesControl[];
}

export interface ChangesSize {
  /** Acknowledged writes in all guilds together. */
  readonly writes: number;
  /** A webhook gets at most 600 requests in a minute, so the guilds determine how long the run takes. */
  readonly guilds: number;
  /** How many processes are killed while the guilds are written. */
  readonly kills: number;
}

export interface ChangesControl extends ChangesSize {
  readonly without: readonly string[];
  /** A part of the sentence of a promise that must be broken. */
  readonly breaks: string;
}

const SMALL: ChangesSize = { writes: 4_000, guilds: 8, kills: 8 };
export const CHANGES_ROWS: readonly ChangesRow[] = [
  {
    name: "100 000 changes, gateway, owners, NATS and reader killed",
    writes: 100_000,
    // Fewer guilds with more writers each: a read of a stream or a webhook then has several changes, and costs as much as of one.
    guilds: 20,
    kills: 32,
    controls: [
      {
        ...SMALL,
        without: ["a position stays before writes that are not settled, so that none is missed that is stored late"],
        breaks: "missing in the",
      },
      {
        ...SMALL,
        without: ["a stream goes on after the token that the client has read last"],
        breaks: "repeated in the stream",
      },
      {
        ...SMALL,
        without: ["a queue is claimed after its visitor has vanished"],
        breaks: "missing at the webhooks",
      },
      {
        ...SMALL,
        without: ["nothing is sent for a webhook that was disabled during a visit"],
        breaks: "after the end at the webhooks",
      },
    ],
  },
];
