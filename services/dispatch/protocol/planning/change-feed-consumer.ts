import { CHANGE_FEED_OVERLAP_MS, type ChangeMark } from "../../../contracts/change-feed.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import { type Feed, FEEDS } from "../feeds.ts";
import type { Heartbeat } from "../heartbeat.ts";
import type { Lifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import type { Timing } from "../timing.ts";
import { newInFlightPages } from "./in-flight-pages.ts";
import { newPagePlanner, type PlanningOfChanges } from "./page-planner.ts";

/** Reads the owners' change feeds and plans the changed guilds, so that plans are right when broadcasts are lost. */
export interface ChangeFeedConsumer {
  start(): void;
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
  /** The position in the feed after which no change is read yet; undefined after a complete read. */
  readonly unreadAfter: ChangeMark | undefined;
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
  const readers = FEEDS.map((feed) => newFeedReader(ports, timing, lifecycle, feed, planning, heartbeat));
  return {
    start() {
      for (const reader of readers) {
        lifecycle.repeat(`read change feed ${reader.feed}`, timing.feedEveryMs, () => reader.read());
      }
    },
    confirmedAt: () => Math.min(...readers.map((reader) => reader.confirmedAt)),
    progress: () => readers.map((reader) => reader.progress()),
  };
}

interface FeedReader {
  readonly feed: Feed;
  readonly confirmedAt: EpochMs;
  progress(): FeedProgress;
  read(): Promise<void>;
}

/**
 * Reads one feed, with an overlap for writes that become visible late. A read begins one overlap before the stored mark
 * or before the last read, whichever is later; the mark alone would make it read the latest changes again for as long as
 * no other change follows.
 *
 * Reading waits for planning, so the number of guilds and pages in flight is bounded. The mark is stored page by page, as
 * the guilds of the pages are planned. A guild that is held back, for example by its many overdue posts, gets a stored
 * request for a plan instead, so that no other guild's changes wait for it.
 *
 * A guild is planned by one replica, which tells the others. The replica of rank k waits k × `planRankStepMs` for that.
 */
function newFeedReader(
  ports: Ports,
  timing: Timing,
  lifecycle: Lifecycle,
  feed: Feed,
  planning: PlanningOfChanges,
  heartbeat: Pick<Heartbeat, "firstAt">,
): FeedReader {
  const { store, owners, clock, reports } = ports;
  const inFlight = newInFlightPages();
  const pagePlanner = newPagePlanner(ports, timing, lifecycle, feed, planning, inFlight);
  /** All changes up to `mark` are planned; `saved` is the stored mark. */
  let mark: ChangeMark | undefined;
  let saved: ChangeMark | undefined;
  /** When changes were last read, by the owner's clock. */
  let lastReadAt: EpochMs = 0;
  let confirmedAt = 0;
  let sinceFirst: EpochMs | undefined;
  let waiting = 0;
  let unreadAfter: ChangeMark | undefined;

  async function read(): Promise<void> {
    const beganAt = clock.now();
    mark ??= (await store.changeMarks())[feed];
    const startAt = Math.max(0, Math.max(mark?.at ?? 0, lastReadAt) - CHANGE_FEED_OVERLAP_MS);
    const since = mark === undefined ? (sinceFirst ??= await sinceWithoutMark()) : startAt;
    let position: ChangeMark = { at: startAt, id: "" };
    let readAt: EpochMs | undefined;
    pagePlanner.startRead(startAt);
    for (let more = true; more;) {
      const requestedAt = clock.now();
      const result = await owners.changesSince(feed, { mark: position, limit: PAGE_SIZE });
      const count = result.changes.length;
      const selected = await pagePlanner.select(result.changes, since);
      waiting += count;
      const tookMs = clock.now() - requestedAt;
      readAt ??= result.readAt;
      ({ mark: position, more } = result);
      unreadAfter = more ? position : undefined;
      const plans = await pagePlanner.begin(selected, readAt ?? 0);
      if (lifecycle.isStopping) return;
      // The position of an empty page is the start of the read, which no change stands for.
      const reached = result.changes.length > 0 ? notAfterRead(readAt, position) : undefined;
      await inFlight.waitForPageSlot();
      inFlight.trackPage(Promise.all(plans), () => {
        waiting -= count;
        return confirm(reached);
      });
      if (more) await pause(beganAt, tookMs);
      if (lifecycle.isStopping) return;
    }
    lastReadAt = Math.max(lastReadAt, readAt ?? 0);
    inFlight.trackPage(Promise.resolve(), async () => {
      confirmedAt = beganAt;
      await confirm(mark === undefined ? position : undefined);
    });
  }

  /** No pause once the next read would be due, or a read would never reach the end of a steady flow of changes. */
  async function pause(beganAt: EpochMs, tookMs: number): Promise<void> {
    const { feedEveryMs } = timing;
    if (clock.now() - beganAt < feedEveryMs) {
      await lifecycle.sleep(Math.min(feedEveryMs, PAUSE_FACTOR * Math.max(1, tookMs)));
    }
  }

  /**
   * Without a mark and without any plan, dispatch has never planned: posts that were due before its first start are not
   * owed. With a plan, a replica ran and ended before it stored its mark.
   */
  async function sinceWithoutMark(): Promise<EpochMs> {
    if (await store.hasPlans()) return 0;
    const firstAt = heartbeat.firstAt();
    // The read is retried.
    if (firstAt === undefined) throw new Error("the database has not said yet when dispatch first ran");
    return firstAt - CHANGE_FEED_OVERLAP_MS;
  }

  /**
   * The mark is stored after everything before it is planned, or has a stored request: after a crash in between the changes
   * are read again.
   */
  async function confirm(reached: ChangeMark | undefined): Promise<void> {
    if (reached !== undefined && (mark === undefined || reached.at > mark.at)) mark = reached;
    if (mark === undefined || (saved?.at === mark.at && saved.id === mark.id)) return;
    const saving = (saved = mark);
    await store.saveChangeMark(feed, saving).catch((error: unknown) => {
      saved = undefined;
      reports.operationFailed("save mark", { feed, error });
    });
  }

  return {
    feed,
    get confirmedAt() {
      return confirmedAt;
    },
    progress: () => ({
      feed,
      plannedThrough: Math.max(confirmedAt, mark?.at ?? 0) || undefined,
      waiting,
      unreadAfter,
    }),
    read,
  };
}

/** A write may become visible behind the pages of a long read, so the mark never passes the time at which the read began. */
function notAfterRead(readAt: EpochMs | undefined, position: ChangeMark): ChangeMark {
  return readAt !== undefined && position.at > readAt ? { at: readAt, id: "" } : position;
}
