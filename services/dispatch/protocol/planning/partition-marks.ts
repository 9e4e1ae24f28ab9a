import { type ChangeMark, GUILD_PARTITIONS } from "../../../contracts/change-feed.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { Feed } from "../feeds.ts";
import type { Ports } from "../ports.ts";
import type { PartitionMark } from "../post-store.ts";
import type { Timing } from "../timing.ts";
import type { PlanningShares } from "./planning-shares.ts";

/** How far the changes of a feed are planned in each partition of the guilds, by this replica and by the others. */
export interface PartitionMarks {
  /** Stores how far this replica is, and reads how far the others are. A replica that is alone reads it once. */
  exchange(): Promise<void>;
  /** The partitions whose changes a reader reads next. Resolves after the first exchange. */
  partitionsOf(group: PartitionGroup): Promise<readonly number[]>;
  /** Whether no other replica has come to read one of these partitions since `partitionsOf` has returned them. */
  areStillToRead(partitions: readonly number[]): boolean;
  /** Whether this replica reads the partition, also for another one that does not. */
  reads(partition: number): boolean;
  /** Where the changes of these partitions begin that were not read yet. */
  unreadFrom(partitions: readonly number[]): UnreadFrom;
  /** All changes of these partitions before this instant by the owner's clock were read; their plans may not be stored yet. */
  readTo(partitions: readonly number[], at: EpochMs): void;
  /** The latest mark of all partitions. The owner's clock has reached it. */
  latest(): ChangeMark | undefined;
  /**
   * Keeps the partitions in their group until the returned function is called: the marks of the other group's reader would pass
   * changes that this one has read and not planned yet.
   */
  hold(partitions: readonly number[]): () => void;
  /** All changes of these partitions up to the mark are planned. */
  advance(partitions: readonly number[], mark: ChangeMark): void;
  /** This replica works on changes of these partitions, however long their plans take. The others are to see it. */
  attend(partitions: readonly number[]): void;
  /** All changes of these partitions before this instant are planned. */
  confirm(partitions: readonly number[], at: EpochMs): void;
  /** All changes of the feed before this instant are planned; 0 before each partition was read to its end. */
  confirmedAt(): EpochMs;
  /**
   * All changes of the partitions that this replica reads, before this instant, are planned: by confirmations, or by the marks if
   * these are later. Undefined if neither is known.
   */
  plannedThrough(): EpochMs | undefined;
}

/**
 * Partitions that are over a minute behind the others when a replica takes them over are read separately, until they have caught
 * up: the others do not wait for them.
 */
export type PartitionGroup = "near" | "behind";

interface UnreadFrom {
  /** By the owner's clock. */
  readonly at: EpochMs;
  /** Whether each of the partitions has a mark. */
  readonly isMarked: boolean;
}

const PARTITIONS = Array.from({ length: GUILD_PARTITIONS }, (_, partition) => partition);
const NEAR_MS = 60_000;
/** Interval at which a partition is stored whose mark does not move. It shows that its changes are read. */
const STORE_IDLE_MS = 5_000;
/** If so many intervals passed between two exchanges, this replica cannot say what the others did meanwhile. */
const MISSED_EXCHANGES = 3;

interface Partition {
  mark: ChangeMark | undefined;
  confirmedAt: EpochMs;
  /** Whether this replica reads the partition, in which group, and how far it has read. */
  isRead: boolean;
  group: PartitionGroup | undefined;
  readTo: EpochMs;
  /** Number of reads and pages in progress; whether a read to the end is planned since the group was assigned. */
  held: number;
  hasCaughtUp: boolean;
  /** Whether the mark or the confirmation has to be stored, and when it last was. */
  isUnsaved: boolean;
  savedAt: EpochMs;
  /** When another replica was last seen to read the partition, and what it had stored. */
  heardAt: EpochMs;
  heard: Pick<PartitionMark, "by" | "savedAt"> | undefined;
}

/**
 * The marks are stored by partition, so that the next reader of a partition continues where the replica before it has ended. A
 * replica reads the partitions of which it is the first. The replica of rank k also reads one of which it has heard nothing for
 * k × `planTakeoverMs`: the replicas before it are listed, but do not read.
 */
export function newPartitionMarks(
  { clock, store, replicas }: Pick<Ports, "clock" | "store" | "replicas">,
  { feedEveryMs, planTakeoverMs }: Pick<Timing, "feedEveryMs" | "planTakeoverMs">,
  feed: Feed,
  shares: Pick<PlanningShares, "ranks" | "onReadByOther">,
): PartitionMarks {
  const partitions: readonly Partition[] = PARTITIONS.map(() => ({
    mark: undefined,
    confirmedAt: 0,
    isRead: false,
    group: undefined,
    readTo: 0,
    held: 0,
    hasCaughtUp: false,
    isUnsaved: false,
    savedAt: 0,
    heardAt: 0,
    heard: undefined,
  }));
  const firstExchange = Promise.withResolvers<void>();
  /** When the marks of the others were last read. */
  let exchangedAt: EpochMs | undefined;

  function at(partition: number): Partition {
    const found = partitions[partition];
    if (found === undefined) throw new Error(`there is no partition ${partition}`);
    return found;
  }

  async function save(): Promise<void> {
    const unsaved = PARTITIONS.filter((partition) => at(partition).isUnsaved && at(partition).mark !== undefined);
    if (unsaved.length === 0) return;
    const marks = new Map<number, Pick<PartitionMark, "mark" | "confirmedAt">>();
    for (const partition of unsaved) {
      const { mark, confirmedAt } = at(partition);
      if (mark !== undefined) marks.set(partition, { mark, confirmedAt });
      at(partition).isUnsaved = false;
    }
    try {
      await store.savePartitionMarks(feed, marks, replicas.self);
    } catch (error) {
      for (const partition of unsaved) at(partition).isUnsaved = true;
      throw error;
    }
    for (const partition of unsaved) at(partition).savedAt = clock.now();
  }

  function hear(partition: Partition, stored: PartitionMark, rank: number, now: EpochMs): void {
    const { heard, mark } = partition;
    const isNews = stored.by !== heard?.by || stored.savedAt !== heard.savedAt;
    if (isNews && stored.by !== replicas.self) partition.heardAt = now;
    partition.heard = stored;
    partition.mark = laterOf(mark, stored.mark);
    if (partition.mark !== mark && rank === 0) shares.onReadByOther();
    partition.confirmedAt = Math.max(partition.confirmedAt, stored.confirmedAt);
  }

  function isToRead({ heardAt }: Partition, rank: number): boolean {
    return rank === 0 || clock.now() - heardAt > rank * planTakeoverMs;
  }

  /** Assigns the partitions that this replica reads to the groups. */
  function assign(): void {
    const ranks = shares.ranks();
    for (const [number, partition] of partitions.entries()) {
      partition.isRead = isToRead(partition, ranks[number] ?? 0);
      if (!partition.isRead) partition.readTo = 0;
      const isBehindNoMore = partition.group === "behind" && partition.hasCaughtUp;
      if (partition.held === 0 && (!partition.isRead || isBehindNoMore)) partition.group = undefined;
    }
    const read = partitions.filter((partition) => partition.isRead);
    const near = read.filter(({ group }) => group === "near");
    const newest = Math.max(0, ...(near.length > 0 ? near : read).map(positionOf));
    for (const partition of read.filter(({ group }) => group === undefined)) {
      partition.group = positionOf(partition) >= newest - NEAR_MS ? "near" : "behind";
      partition.hasCaughtUp = false;
    }
  }

  function isAlone(): boolean {
    return shares.ranks().every((rank) => rank === 0);
  }

  function attend(of: readonly number[]): void {
    if (isAlone()) return;
    const now = clock.now();
    for (const partition of of.map(at)) if (now - partition.savedAt >= STORE_IDLE_MS) partition.isUnsaved = true;
  }

  return {
    async exchange() {
      await save();
      if (exchangedAt !== undefined && isAlone()) return;
      const stored = await store.partitionMarks(feed);
      const now = clock.now();
      if (now - (exchangedAt ?? -Infinity) > MISSED_EXCHANGES * feedEveryMs) {
        for (const each of partitions) each.heardAt = now;
      }
      const ranks = shares.ranks();
      for (const [partition, mark] of stored) hear(at(partition), mark, ranks[partition] ?? 0, now);
      exchangedAt = now;
      firstExchange.resolve();
    },
    async partitionsOf(group) {
      await firstExchange.promise;
      assign();
      return PARTITIONS.filter((partition) => at(partition).isRead && at(partition).group === group);
    },
    areStillToRead(of) {
      const ranks = shares.ranks();
      return of.every((partition) => isToRead(at(partition), ranks[partition] ?? 0));
    },
    reads: (partition) => at(partition).isRead,
    unreadFrom: (of) => ({
      at: Math.min(...of.map((partition) => positionOf(at(partition)))),
      isMarked: of.every((partition) => at(partition).mark !== undefined),
    }),
    readTo(of, readAt) {
      for (const partition of of.map(at)) {
        if (partition.isRead) partition.readTo = Math.max(partition.readTo, readAt);
      }
    },
    hold(of) {
      for (const partition of of.map(at)) partition.held += 1;
      return () => {
        for (const partition of of.map(at)) partition.held -= 1;
      };
    },
    latest: () => partitions.map(({ mark }) => mark).reduce(laterOf),
    advance(of, mark) {
      for (const partition of of.map(at)) {
        const before = partition.mark;
        partition.mark = laterOf(before, mark);
        if (partition.mark !== before) partition.isUnsaved = true;
      }
    },
    attend,
    confirm(of, confirmedAt) {
      for (const partition of of.map(at)) {
        partition.confirmedAt = Math.max(partition.confirmedAt, confirmedAt);
        partition.hasCaughtUp = true;
      }
      attend(of);
    },
    confirmedAt: () => Math.min(...partitions.map(({ confirmedAt }) => confirmedAt)),
    plannedThrough() {
      const read = partitions.filter(({ isRead }) => isRead);
      const counted = read.length > 0 ? read : partitions;
      const through = Math.min(...counted.map(({ confirmedAt, mark }) => Math.max(confirmedAt, mark?.at ?? 0)));
      return through === 0 ? undefined : through;
    },
  };
}

/** How far a partition is read. */
function positionOf({ mark, readTo }: Partition): EpochMs {
  return Math.max(mark?.at ?? 0, readTo);
}

/** The later of two marks; the first one if they are equal. */
function laterOf(one: ChangeMark | undefined, other: ChangeMark | undefined): ChangeMark | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return other.at > one.at || (other.at === one.at && other.id > one.id) ? other : one;
}
