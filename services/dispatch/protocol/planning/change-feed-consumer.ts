import {
  CHANGE_FEED_OVERLAP_MS,
  type ChangeMark,
  GUILD_PARTITIONS,
  partitionOf,
} from "../../../contracts/change-feed.contract.ts";
import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import { type Feed, FEEDS } from "../feeds.ts";
import type { Heartbeat } from "../heartbeat.ts";
import type { Lifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import type { Timing } from "../timing.ts";
import { newInFlightPages } from "./in-flight-pages.ts";
import { newPagePlanner, type PlanningOfChanges } from "./page-planner.ts";
import { type PartitionGroup, newPartitionMarks, type PartitionMarks } from "./partition-marks.ts";

/** Reads the owners' change feeds and plans the changed guilds, so that plans are right when broadcasts are lost. */
export interface ChangeFeedConsumer {
  start(): void;
  /** Whether this replica reads the changes of the guild in some feed, also for another one that does not. */
  reads(guildId: GuildId): boolean;
  /** All changes before this instant are planned, or their guilds have a stored request; 0 before the first complete read. */
  confirmedAt(): EpochMs;
  progress(): readonly FeedProgress[];
}

/** How far the changes of a feed are planned, or have a stored request for a plan. */
export interface FeedProgress {
  readonly feed: Feed;
  /**
   * All changes before this instant are planned, by the stored mark or by a complete read. Undefined before the mark is
   * read.
   */
  readonly plannedThrough: EpochMs | undefined;
  /** Changes that this replica has read and not planned yet; bounded by the pages in flight. */
  readonly waiting: number;
  /** The positions after which this replica has not read the changes of these partitions yet; none after complete reads. */
  readonly unread: readonly UnreadPart[];
}

export interface UnreadPart {
  readonly mark: ChangeMark;
  /** All if absent. */
  readonly partitions?: readonly number[];
}

/** A page is processed without a pause. Requests to the same process wait until the page is processed. */
const PAGE_SIZE = 250;
/** The pause after a page is this many times as long as the page took. */
const PAUSE_FACTOR = 4;

export function newChangeFeedConsumer(
  ports: Ports,
  timing: Timing,
  lifecycle: Lifecycle,
  planning: PlanningOfChanges,
  heartbeat: Pick<Heartbeat, "firstAt">,
): ChangeFeedConsumer {
  const readers = FEEDS.map((feed) => {
    const marks = newPartitionMarks(ports, timing, feed, planning.shares);
    const readerOf = (group: PartitionGroup) =>
      newFeedReader(ports, timing, lifecycle, { feed, group, marks }, planning, heartbeat);
    return { feed, marks, near: readerOf("near"), behind: readerOf("behind") };
  });
  return {
    start() {
      const { feedEveryMs } = timing;
      for (const { feed, marks, near, behind } of readers) {
        lifecycle.repeat(`exchange marks of ${feed}`, feedEveryMs, () => marks.exchange());
        lifecycle.repeat(`read change feed ${feed}`, feedEveryMs, () => near.read());
        lifecycle.repeat(`catch up with change feed ${feed}`, feedEveryMs, () => behind.read());
      }
    },
    reads: (guildId) => readers.some(({ marks }) => marks.reads(partitionOf(guildId))),
    confirmedAt: () => Math.min(...readers.map(({ marks }) => marks.confirmedAt())),
    progress: () =>
      readers.map(({ feed, marks, near, behind }) => ({
        feed,
        plannedThrough: marks.plannedThrough(),
        waiting: near.waiting() + behind.waiting(),
        unread: [near.unread(), behind.unread()].filter((part) => part !== undefined),
      })),
  };
}

interface FeedReader {
  read(): Promise<void>;
  waiting(): number;
  unread(): UnreadPart | undefined;
}

interface FeedPart {
  readonly feed: Feed;
  readonly group: PartitionGroup;
  readonly marks: PartitionMarks;
}

/**
 * Reads partitions of one feed, with an overlap for writes that become visible late: a read begins one overlap before the lowest
 * of their marks or before the last read, whichever is later.
 *
 * Reading waits for planning, so the number of guilds and pages in flight is bounded. The marks advance page by page, as
 * the guilds of the pages are planned. A guild that is held back, for example by its many overdue posts, gets a stored
 * request for a plan instead, so that no other guild's changes wait for it.
 */
function newFeedReader(
  ports: Ports,
  timing: Timing,
  lifecycle: Lifecycle,
  { feed, group, marks }: FeedPart,
  planning: PlanningOfChanges,
  heartbeat: Pick<Heartbeat, "firstAt">,
): FeedReader {
  const { store, owners, clock } = ports;
  /** The partitions of the last read. */
  let partitions: readonly number[] = [];
  const inFlight = newInFlightPages(() => marks.attend(partitions));
  const pagePlanner = newPagePlanner(ports, lifecycle, feed, planning, inFlight);
  let sinceFirst: EpochMs | undefined;
  let waiting = 0;
  let unread: UnreadPart | undefined;

  async function read(): Promise<void> {
    const beganAt = clock.now();
    partitions = await marks.partitionsOf(group);
    unread = undefined;
    if (partitions.length === 0) return;
    const release = marks.hold(partitions);
    try {
      await readPartitions(partitions, beganAt);
    } finally {
      release();
    }
  }

  /** Calls `done` when everything before is planned. */
  function track(reading: readonly number[], planned: Promise<unknown>, done: () => void): void {
    const release = marks.hold(reading);
    inFlight.trackPage(planned, async () => {
      done();
      release();
    });
  }

  async function readPartitions(reading: readonly number[], beganAt: EpochMs): Promise<void> {
    const isIncluded = new Set(reading);
    const filter = isIncluded.size === GUILD_PARTITIONS ? {} : { partitions: reading };
    const latest = marks.latest();
    const from = marks.unreadFrom(reading);
    const startAt = Math.max(0, from.at - CHANGE_FEED_OVERLAP_MS);
    const since = from.isMarked ? sinceMark(startAt) : (sinceFirst ??= await sinceWithoutMark(latest));
    let position: ChangeMark = { at: startAt, id: "" };
    let readAt: EpochMs | undefined;
    pagePlanner.startRead(startAt);
    for (let more = true; more;) {
      const requestedAt = clock.now();
      const result = await owners.changesSince(feed, { mark: position, ...filter, limit: PAGE_SIZE });
      // A previous release of the owner returns the changes of all partitions.
      const changes = result.changes.filter(({ guildId }) => isIncluded.has(partitionOf(guildId)));
      const selected = await pagePlanner.select(changes, since);
      const count = changes.length;
      waiting += count;
      const tookMs = clock.now() - requestedAt;
      readAt ??= result.readAt;
      ({ mark: position, more } = result);
      unread = more ? { mark: position, ...filter } : undefined;
      const plans = await pagePlanner.begin(selected, readAt ?? 0);
      if (lifecycle.isStopping) return;
      // The position of an empty page is the start of the read, which no change stands for.
      const reached = result.changes.length > 0 ? notAfterRead(readAt, position) : undefined;
      await inFlight.waitForPageSlot();
      track(reading, Promise.all(plans), () => {
        waiting -= count;
        if (reached !== undefined) marks.advance(reading, reached);
      });
      if (more) await pause(beganAt, tookMs);
      if (lifecycle.isStopping) return;
      // This read may be long. The next one is without the partitions that another replica reads now.
      if (more && !marks.areStillToRead(reading)) return;
    }
    // Without a change, the time of the read is not known, but it is not before any mark that was known when it began.
    const end: ChangeMark = { at: Math.max(readAt ?? 0, latest?.at ?? 0), id: "" };
    marks.readTo(reading, end.at);
    track(reading, Promise.resolve(), () => {
      marks.advance(reading, end);
      marks.confirm(reading, beganAt);
    });
  }

  /** No pause once the next read would be due, or a read would never reach the end of a steady flow of changes. */
  async function pause(beganAt: EpochMs, tookMs: number): Promise<void> {
    const { feedEveryMs } = timing;
    if (clock.now() - beganAt < feedEveryMs) {
      await lifecycle.sleep(Math.min(feedEveryMs, PAUSE_FACTOR * Math.max(1, tookMs)));
    }
  }

  /** A mark may be earlier than the first start of dispatch: another replica stored it in its first read, which is not complete. */
  function sinceMark(startAt: EpochMs): EpochMs {
    return Math.max(startAt, (heartbeat.firstAt() ?? 0) - CHANGE_FEED_OVERLAP_MS);
  }

  /**
   * Without a mark and without any plan, dispatch has never planned: posts that were due before its first start are not
   * owed. With a plan, a replica ran and ended before it stored its mark.
   */
  async function sinceWithoutMark(latest: ChangeMark | undefined): Promise<EpochMs> {
    if (latest === undefined && (await store.hasPlans())) return 0;
    const firstAt = heartbeat.firstAt();
    // The read is retried.
    if (firstAt === undefined) throw new Error("the database has not said yet when dispatch first ran");
    return firstAt - CHANGE_FEED_OVERLAP_MS;
  }

  return { read, waiting: () => waiting, unread: () => unread };
}

/** A write may become visible behind the pages of a long read, so the mark never passes the time at which the read began. */
function notAfterRead(readAt: EpochMs | undefined, position: ChangeMark): ChangeMark {
  return readAt !== undefined && position.at > readAt ? { at: readAt, id: "" } : position;
}
