import { CHANGE_FEED_OVERLAP_MS, type Change, type ChangeMark } from "../../contracts/change-feed.contract.ts";
import { type EpochMs, LAST_EPOCH_MS } from "../../contracts/ids.ts";
import type { Life } from "./life.ts";
import type { Planner } from "./planner.ts";
import { type Feed, FEEDS, type Ports } from "./ports.ts";
import type { Timing } from "./timing.ts";

/** Reads the owners' changes: what makes the plan right when broadcasts are lost. */
export interface Follower {
  start(): void;
  /** All that had changed by then is planned; 0 before the first complete reading. */
  confirmedAt(): EpochMs;
}

/** A page is worked through without a pause, and requests wait for it; they have the time between one and the next. */
const PAGE = 250;
/** The pause is so many times as long as the page took. */
const REST = 4;

export function newFollower(ports: Ports, timing: Timing, life: Life, planner: Planner): Follower {
  const readings = FEEDS.map((feed) => newReading(ports, timing, life, feed, planner));
  return {
    start() {
      for (const reading of readings) life.repeat(`follow ${reading.feed}`, timing.feedEveryMs, () => reading.read());
    },
    confirmedAt: () => Math.min(...readings.map((reading) => reading.confirmedAt)),
  };
}

interface Reading {
  readonly feed: Feed;
  readonly confirmedAt: EpochMs;
  read(): Promise<void>;
}

/**
 * One feed, read with an overlap for writes that become visible late: from so long before the mark that was stored last,
 * and then from so long before the last reading, or what changed last would be read again for as long as nothing else does.
 */
function newReading(
  { store, owners, clock, reports }: Ports,
  timing: Timing,
  life: Life,
  feed: Feed,
  planner: Planner,
): Reading {
  const revisions = new Map<string, Change>();
  let mark: ChangeMark | undefined;
  /** By the owner's clock, the last reading that found something. */
  let lastReadAt: EpochMs = 0;
  let saved: ChangeMark | undefined;
  let confirmedAt = 0;
  let sinceFirst: EpochMs | undefined;
  /** Plannings that changes which were read have asked for, the ones of a reading that failed half-way included. */
  let touched: Promise<unknown>[] = [];

  async function read(): Promise<void> {
    const beganAt = clock.now();
    mark ??= (await store.marks())[feed];
    const startAt = Math.max(0, Math.max(mark?.at ?? 0, lastReadAt) - CHANGE_FEED_OVERLAP_MS);
    const since = mark === undefined ? (sinceFirst ??= await sinceWithoutMark(beganAt)) : startAt;
    let position: ChangeMark = { at: startAt, id: "" };
    let readAt: EpochMs | undefined;
    let hasFound = false;
    for (let more = true; more;) {
      const askedAt = clock.now();
      const result = await owners.changesSince(feed, { mark: position, limit: PAGE });
      for (const change of result.changes) if (isNews(change)) touched.push(planner.touch(change.guildId, since));
      readAt ??= result.readAt;
      hasFound ||= result.changes.length > 0;
      ({ mark: position, more } = result);
      if (more) await rest(beganAt, askedAt);
      if (life.stopping) return;
    }
    // Where nothing was found the position is where the reading began, which no change stands for.
    if (mark === undefined || (hasFound && position.at > mark.at)) mark = notAfter(readAt, position);
    lastReadAt = Math.max(lastReadAt, readAt ?? 0);
    forgetBefore(startAt);
    touched = [confirmAfter(touched, mark, beganAt)];
  }

  /** Not once the next reading would be due: one that rested on would never come to the end of changes that go on. */
  async function rest(beganAt: EpochMs, askedAt: EpochMs): Promise<void> {
    const now = clock.now();
    const { feedEveryMs } = timing;
    if (now - beganAt < feedEveryMs) await life.sleep(Math.min(feedEveryMs, REST * Math.max(1, now - askedAt)));
  }

  /**
   * Without a mark and without a plan this is the first start of all: what was due before is nobody's omission. With
   * a plan a replica was here, and ended before it could store its mark.
   */
  async function sinceWithoutMark(beganAt: EpochMs): Promise<EpochMs> {
    const [planned] = await store.guildsToReplan(LAST_EPOCH_MS, 1);
    return planned === undefined ? beganAt : 0;
  }

  function isNews(change: Change): boolean {
    const known = revisions.get(change.id);
    if (known?.revision === change.revision && known.deleted === change.deleted) return false;
    revisions.set(change.id, change);
    return true;
  }

  function forgetBefore(at: EpochMs): void {
    for (const [id, { changedAt }] of revisions) if (changedAt < at) revisions.delete(id);
  }

  /** The mark is stored once all that came before it is planned: a crash in between reads it again. */
  async function confirmAfter(
    before: readonly Promise<unknown>[],
    reached: ChangeMark,
    beganAt: EpochMs,
  ): Promise<void> {
    await Promise.all(before);
    confirmedAt = beganAt;
    if (saved?.at === reached.at && saved.id === reached.id) return;
    saved = reached;
    await store.saveMark(feed, reached).catch((error: unknown) => {
      saved = undefined;
      reports.trouble("save mark", { feed, error });
    });
  }

  return {
    feed,
    get confirmedAt() {
      return confirmedAt;
    },
    read,
  };
}

/** A slow write may surface behind the pages of a long reading, so what follows goes on from where that began. */
function notAfter(readAt: EpochMs | undefined, position: ChangeMark): ChangeMark {
  return readAt !== undefined && position.at > readAt ? { at: readAt, id: "" } : position;
}
